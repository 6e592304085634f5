package dev.meshguard.arrow;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.junit.internal.MinimumVersions;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.Lease;
import dev.meshguard.tracker.OriginFilter;
import java.util.Arrays;
import java.util.stream.Stream;
import org.apache.arrow.memory.AllocationManager;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.ReferenceManager;

/** Memory that Arrow requests from a tracked allocator: this class allocates it, reports it, and frees it with its last buffer. */
final class TrackedMemory extends AllocationManager {

    /** If a thread of a library allocates, it is the line of Arrow that allocates for it. */
    static final OriginFilter CALLERS = skipping("org.apache.arrow.")
            .orElse(skipping("org.apache.arrow.memory."))
            .orElse(skipping());

    private final AllocationTracker tracker;
    private final long address;
    private final long size;
    private final Lease lease;

    private TrackedMemory(AllocationTracker tracker, BufferAllocator allocator, long size) {
        super(allocator);
        this.tracker = tracker;
        this.size = size;
        this.address = ArrowMemoryCalls.OF_ARROW.allocate(size);
        this.lease = lease(tracker, allocator, size, this);
    }

    private static OriginFilter skipping(String... ofArrow) {
        return OriginFilter.skipping(Stream.concat(
                        Stream.of(ofArrow),
                        Stream.of(
                                "dev.meshguard.weave.",
                                ArrowMemoryWatcher.class.getName(),
                                TrackedMemory.class.getName(),
                                TrackedRootAllocator.class.getName()))
                .toArray(String[]::new));
    }

    /** Reports memory that an allocator has requested. */
    static Lease lease(AllocationTracker tracker, BufferAllocator allocator, long size, AllocationManager memory) {
        return tracker.lease(
                        AllocationDetails.user().fromSource(ArrowSource.ID).labelled(allocator.getName()),
                        CALLERS,
                        BufferType.SYSTEM_MEMORY,
                        size)
                .handedOut(memory);
    }

    AllocationTracker tracker() {
        return tracker;
    }

    Lease lease() {
        return lease;
    }

    @Override
    public long getSize() {
        return size;
    }

    @Override
    protected long memoryAddress() {
        return address;
    }

    @Override
    protected void release0() {
        ArrowMemoryCalls.OF_ARROW.free(address);
        lease.freed();
    }

    /** Allocates for a tree of allocators. */
    record Factory(AllocationTracker tracker) implements AllocationManager.Factory {

        /**
         * Creates a factory.
         *
         * @throws org.junit.jupiter.api.extension.ExtensionConfigurationException if Arrow is too old
         */
        Factory {
            requireSupported(AllocationManager.Factory.class);
        }

        /** Before Arrow 3 the method to implement had a parameter of another type. */
        static void requireSupported(Class<?> factory) {
            boolean isSupported = Arrays.stream(factory.getMethods())
                    .anyMatch(method -> method.getName().equals("create")
                            && method.getParameterTypes()[0] == BufferAllocator.class);
            MinimumVersions.requireLibrary(
                    isSupported, "Arrow 3", factory.getName(), factory.getClassLoader(), "org.apache.arrow:arrow-bom");
        }

        @Override
        public AllocationManager create(BufferAllocator allocator, long size) {
            return new TrackedMemory(tracker, allocator, size);
        }

        @Override
        @SuppressWarnings("NullAway") // Arrow's own empty buffers have no manager either.
        public ArrowBuf empty() {
            return new ArrowBuf(ReferenceManager.NO_OP, null, 0, 0);
        }
    }
}
