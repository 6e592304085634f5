package dev.meshguard.arrow;

import dev.meshguard.event.Quantities;
import dev.meshguard.event.SourceDescription;
import dev.meshguard.event.SourceVocabulary;
import dev.meshguard.junit.source.SourceContext;
import dev.meshguard.junit.source.SourceSession;
import org.jspecify.annotations.Nullable;

/** The root allocator of a test. */
final class ArrowSession implements SourceSession {

    private final SourceContext context;

    /** Allocators refer to all their memory if assertions are enabled, so this must not hold one while holders are searched. */
    private @Nullable TrackedRootAllocator root;

    ArrowSession(SourceContext context) {
        this.context = context;
        context.tracker()
                .sourceAttached(SourceDescription.of(ArrowSource.ID)
                        .covering("the root allocator that the test receives")
                        .speaking(SourceVocabulary.of("Arrow memory").freedBy("close", "closed")));
        context.tracker().partsOfHandles("org.apache.arrow.");
        this.root = new TrackedRootAllocator(context.tracker());
    }

    @Override
    public Object resolve(Class<?> type) {
        TrackedRootAllocator open = root;
        if (open == null) {
            throw new IllegalStateException("The allocator of " + context.name() + " is closed and was checked.");
        }
        return open;
    }

    @Override
    public void close() {
        TrackedRootAllocator open = root;
        root = null;
        if (open != null) {
            long allocated = open.getAllocatedMemory();
            if (allocated > 0) {
                context.note("Arrow's allocator counts " + Quantities.size(allocated) + " still allocated");
            }
            open.close();
        }
    }
}
