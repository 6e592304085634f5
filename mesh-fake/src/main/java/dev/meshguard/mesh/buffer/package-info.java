/** What is asked for when device memory is taken: sizes, pages, cores and how they are spread. */
@NullMarked
package dev.meshguard.mesh.buffer;

import org.jspecify.annotations.NullMarked;
