/**
 * How device memory is lent out by address: free lists, the banks that share them, and the allocator of one device or
 * mesh.
 *
 * <p>The rules are those of tt-metal's {@code tt_metal/impl/allocator}. Nothing here knows buffers, devices or meshes:
 * memory is asked for by size and given back by address.
 */
@NullMarked
package dev.meshguard.mesh.allocator;

import org.jspecify.annotations.NullMarked;
