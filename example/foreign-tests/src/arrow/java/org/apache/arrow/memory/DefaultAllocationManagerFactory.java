package org.apache.arrow.memory;

import dev.meshguard.arrow.DefaultAllocatorSource;

/** Found by Arrow by its name, before the factories of its own artifacts. */
public final class DefaultAllocationManagerFactory {

    /** Read by Arrow by its name. */
    public static final AllocationManager.Factory FACTORY = DefaultAllocatorSource.factory();

    private DefaultAllocationManagerFactory() {}
}
