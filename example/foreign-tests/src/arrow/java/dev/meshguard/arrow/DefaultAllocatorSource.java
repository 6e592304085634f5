package dev.meshguard.arrow;

import dev.meshguard.event.SourceDescription;
import dev.meshguard.event.SourceVocabulary;
import dev.meshguard.junit.source.AllocationSource;
import dev.meshguard.junit.source.SourceContext;
import dev.meshguard.junit.source.SourceSession;
import dev.meshguard.junit.source.SourceSettings;
import dev.meshguard.tracker.AllocationTracker;
import java.util.Optional;
import org.apache.arrow.memory.AllocationManager;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;

/**
 * Tracks the root allocators that tests open themselves: the allocation manager of {@code meshguard-arrow} takes the place of
 * Arrow's default.
 */
public final class DefaultAllocatorSource implements AllocationSource {

    private static final String ID = "arrow-default";

    /** Called by {@link java.util.ServiceLoader}. */
    public DefaultAllocatorSource() {}

    /** Returns a factory that reports to the test for which a thread works. */
    public static AllocationManager.Factory factory() {
        AllocationTracker ofNoTest = AllocationTracker.create();
        return new AllocationManager.Factory() {
            @Override
            public AllocationManager create(BufferAllocator allocator, long size) {
                return of(AllocationSource.trackerOfThread(ID).orElse(ofNoTest)).create(allocator, size);
            }

            @Override
            public ArrowBuf empty() {
                return of(ofNoTest).empty();
            }
        };
    }

    private static TrackedMemory.Factory of(AllocationTracker tracker) {
        return new TrackedMemory.Factory(tracker);
    }

    @Override
    public String id() {
        return ID;
    }

    @Override
    public Optional<SourceSettings> defaultSettings() {
        return Optional.of(SourceSettings.withoutOptions(this, DefaultAllocatorSource::begin));
    }

    private static SourceSession begin(SourceContext context) {
        context.tracker()
                .sourceAttached(SourceDescription.of(ArrowSource.ID)
                        .speaking(SourceVocabulary.of("Arrow memory").freedBy("close", "closed")));
        context.tracker().partsOfHandles("org.apache.arrow.");
        context.receiveFromThreads();
        return new SourceSession() {
            @Override
            public void close() {}
        };
    }
}
