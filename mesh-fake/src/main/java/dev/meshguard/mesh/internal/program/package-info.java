/** The memory of programs: kernel binaries, circular buffers, and what a program owns. */
@NullMarked
package dev.meshguard.mesh.internal.program;

import org.jspecify.annotations.NullMarked;
