package dev.meshguard.benchmarks.freelist;

import dev.meshguard.event.BufferType;
import dev.meshguard.mesh.allocator.AllocationDirection;
import dev.meshguard.mesh.allocator.Allocator;
import dev.meshguard.mesh.allocator.AllocatorConfig;
import dev.meshguard.mesh.allocator.BankRequest;
import dev.meshguard.mesh.allocator.UnsafeAllocationWarner;

/** The compared free lists, each with sizes rounded up to 32 bytes. */
public enum FreeListContender {
    /** A tree of the free blocks by address, looked through from the lowest. */
    TREE_MAP,
    /** The fake's own, with the one bank of an allocator; gives the same addresses as the tree. */
    MESHGUARD;

    /** Returns a list that has lent nothing of as many bytes. */
    public FreeList of(long bytes) {
        return this == TREE_MAP ? new TreeMapFreeList(bytes) : meshGuard(bytes);
    }

    private static FreeList meshGuard(long bytes) {
        AllocatorConfig config = new AllocatorConfig(
                new AllocatorConfig.Dram(1, bytes, 0, 32, 0), new AllocatorConfig.L1(1, 32, 0, 1, 0), true);
        Allocator allocator = Allocator.create(config, UnsafeAllocationWarner.toLog());
        return new FreeList() {
            @Override
            public long allocate(long size) {
                return allocator.allocate(
                        BufferType.DRAM, BankRequest.interleaved(size, size, AllocationDirection.BOTTOM_UP));
            }

            @Override
            public void free(long address) {
                allocator.deallocate(BufferType.DRAM, address);
            }
        };
    }
}
