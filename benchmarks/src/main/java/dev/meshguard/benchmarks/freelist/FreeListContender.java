package dev.meshguard.benchmarks.freelist;

import dev.meshguard.mesh.allocator.FreeListOpt;
import dev.meshguard.mesh.allocator.SearchPolicy;

/** The compared free lists, each with sizes rounded up to 32 bytes. */
public enum FreeListContender {
    /** A tree of the free blocks by address, looked through from the lowest. */
    TREE_MAP {
        @Override
        public FreeList of(long bytes) {
            return new TreeMapFreeList(bytes);
        }
    },
    /** The fake's own as the runtime uses it; gives the same addresses as the tree. */
    MESHGUARD_FIRST {
        @Override
        public FreeList of(long bytes) {
            return meshGuard(bytes, SearchPolicy.FIRST);
        }
    },
    /** The fake's own with the other policy. */
    MESHGUARD_BEST {
        @Override
        public FreeList of(long bytes) {
            return meshGuard(bytes, SearchPolicy.BEST);
        }
    };

    /** Returns a list that has lent nothing of as many bytes. */
    public abstract FreeList of(long bytes);

    private static FreeList meshGuard(long bytes, SearchPolicy policy) {
        FreeListOpt list = new FreeListOpt(bytes, 0, 32, 32, policy);
        return new FreeList() {
            @Override
            public long allocate(long size) {
                return list.allocate(size).orElseThrow();
            }

            @Override
            public void free(long address) {
                list.deallocate(address);
            }
        };
    }
}
