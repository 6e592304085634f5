/** How the mesh device hands out addresses and takes them back. */
@NullMarked
package dev.meshguard.mesh.allocator;

import org.jspecify.annotations.NullMarked;
