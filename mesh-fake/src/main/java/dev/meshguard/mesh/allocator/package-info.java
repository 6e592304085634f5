/**
 * Allocation of device memory by address: free lists, the banks that share them, and the allocator of one device or mesh.
 *
 * <p>The rules are those of tt-metal's {@code tt_metal/impl/allocator}. This package has no buffers, devices or meshes: callers
 * request memory by size and free it by address.
 */
@NullMarked
package dev.meshguard.mesh.allocator;

import org.jspecify.annotations.NullMarked;
