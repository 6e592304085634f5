/** Allocated blocks of device memory, each with its address and state, and the checks of a strict runtime. */
@NullMarked
package dev.meshguard.mesh.internal.allocation;

import org.jspecify.annotations.NullMarked;
