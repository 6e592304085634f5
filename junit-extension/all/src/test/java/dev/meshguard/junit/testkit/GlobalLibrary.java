package dev.meshguard.junit.testkit;

import dev.meshguard.event.BufferType;
import dev.meshguard.junit.source.AllocationSource;
import dev.meshguard.junit.source.SourceContext;
import dev.meshguard.junit.source.SourceSession;
import dev.meshguard.junit.source.SourceSettings;
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
        long address = NEXT_ADDRESS.getAndAdd(1L << 32);
        Optional<AllocationTracker> tracker = AllocationSource.trackerOfThread(ID);
        tracker.ifPresent(reported -> reported.allocated(0, BufferType.SYSTEM_MEMORY, address, bytes));
        return new Memory(address, tracker);
    }

    /** Returns the settings of its source. */
    public static SourceSettings settings() {
        return settings(context -> {});
    }

    /** Returns the settings of its source, which begin a session with an action. */
    public static SourceSettings settings(Consumer<SourceContext> beginning) {
        return new Settings(beginning);
    }

    private static final class Source extends FixtureSource {

        Source() {
            super(ID);
        }
    }

    private record Settings(Consumer<SourceContext> beginning) implements SourceSettings {

        @Override
        public AllocationSource source() {
            return new Source();
        }

        @Override
        public boolean isShareable() {
            return true;
        }

        @Override
        public SourceSession begin(SourceContext context) {
            context.tracker().sourceAttached("global library");
            context.receiveFromThreads();
            beginning.accept(context);
            return new SourceSession() {
                @Override
                public void close() {}
            };
        }
    }
}
