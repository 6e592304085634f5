/** Configurations of device memory: sizes, pages, cores and the distribution over them. */
@NullMarked
package dev.meshguard.mesh.buffer;

import org.jspecify.annotations.NullMarked;
