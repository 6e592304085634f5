package dev.meshguard.junit.testkit;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Ownership;
import dev.meshguard.junit.TestThreads;
import dev.meshguard.junit.source.SourceContext;
import dev.meshguard.junit.source.SourceSession;
import dev.meshguard.junit.source.SourceSettings;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.tracker.AllocationTracker;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/** A library that any thread calls, and that reports through one hook of the process. */
public final class GlobalLibrary {

    private static final String ID = "global";
    private static final AtomicLong NEXT_ADDRESS = new AtomicLong(64);

    private GlobalLibrary() {}

    /** Memory of the library. */
    public record Memory(long address, Optional<AllocationTracker> tracker) implements AutoCloseable {

        @Override
        public void close() {
            tracker.ifPresent(reported -> reported.freed(0, BufferType.SYSTEM_MEMORY, address));
        }
    }

    /** Allocates bytes; the hook reports them. */
    public static Memory allocate(long bytes) {
        Optional<AllocationTracker> tracker = TestThreads.trackerOfThread(ID);
        Memory memory = new Memory(NEXT_ADDRESS.getAndAdd(1L << 32), tracker);
        tracker.ifPresent(reported -> reported.allocated(0, BufferType.SYSTEM_MEMORY, memory.address, bytes));
        return memory;
    }

    /** Allocates bytes; the hook reports them with the object through which the caller holds them. */
    public static Memory allocateWithHandle(long bytes) {
        Optional<AllocationTracker> tracker = TestThreads.trackerOfThread(ID);
        Memory memory = new Memory(NEXT_ADDRESS.getAndAdd(1L << 32), tracker);
        tracker.ifPresent(reported -> {
            MemoryRequest request = reported.request(AllocationDetails.user());
            reported.allocated(request, 0, BufferType.SYSTEM_MEMORY, memory.address, bytes, Ownership.UNKNOWN);
            reported.handleReturned(request, memory);
        });
        return memory;
    }

    /** Returns the settings of its source. */
    public static SourceSettings settings() {
        return settings(context -> {});
    }

    /** Returns the settings of a source that begins when a test asks for a runtime, which it does not examine. */
    public static SourceSettings settingsOnRequest() {
        return SourceSettings.ofParameter(new FixtureSource(ID, Ttnn.class), context -> {
            begin(context);
            return new SourceSession() {
                @Override
                public Object resolve(Class<?> type) {
                    return Ttnn.create(AllocationTracker.create());
                }

                @Override
                public void close() {}
            };
        });
    }

    private static void begin(SourceContext context) {
        context.tracker().sourceAttached("global library");
        context.receiveFromThreads();
    }

    /** Returns the settings of its source, which begin a session with an action. */
    public static SourceSettings settings(Consumer<SourceContext> beginning) {
        return SourceSettings.withoutOptions(new FixtureSource(ID), context -> {
            begin(context);
            beginning.accept(context);
            return () -> {};
        });
    }
}
