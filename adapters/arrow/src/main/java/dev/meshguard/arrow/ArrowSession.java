package dev.meshguard.arrow;

import dev.meshguard.event.SourceDescription;
import dev.meshguard.event.SourceVocabulary;
import dev.meshguard.junit.source.SourceContext;
import dev.meshguard.junit.source.SourceSession;
import dev.meshguard.text.Quantities;
import dev.meshguard.weave.WeaverUnavailableException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The memory of Arrow of one test, and its root allocator if it asks for one. */
final class ArrowSession implements SourceSession {

    private static final String ONLY_PARAMETER = "the root allocator that the test receives";

    private final SourceContext context;

    /** Why memory of other allocators is not seen. */
    private final Optional<String> blindness;

    /** Allocators refer to all their memory if assertions are enabled, so this must not hold one while holders are searched. */
    private @Nullable TrackedRootAllocator root;

    private boolean isClosed;

    ArrowSession(SourceContext context) {
        this.context = context;
        this.blindness = see();
        SourceDescription source = SourceDescription.of(ArrowSource.ID)
                .speaking(SourceVocabulary.of("Arrow memory").freedBy("close", "closed"));
        context.tracker().sourceAttached(blindness.isPresent() ? source.covering(ONLY_PARAMETER) : source);
        context.tracker().partsOfHandles("org.apache.arrow.");
        if (blindness.isEmpty()) {
            context.receiveFromThreads();
        }
    }

    /** Sees the memory of all allocators from now on; returns why it cannot, if so. */
    static Optional<String> see() {
        try {
            ArrowMemoryWatcher.see();
            return Optional.empty();
        } catch (WeaverUnavailableException forbidden) {
            return Optional.of(String.valueOf(forbidden.getMessage()));
        }
    }

    @Override
    public Object resolve(Class<?> type) {
        if (isClosed) {
            throw new IllegalStateException("The allocator of " + context.name() + " is closed and was checked.");
        }
        TrackedRootAllocator open = root;
        if (open == null) {
            open = new TrackedRootAllocator(context.tracker());
            root = open;
        }
        return open;
    }

    @Override
    public void poll() {
        ArrowMemoryWatcher.unseen().forEach((className, reason) -> reportBlindness(reason));
    }

    @Override
    public void close() {
        isClosed = true;
        TrackedRootAllocator open = root;
        root = null;
        ArrowMemoryWatcher.allocators(context.tracker()).forEach(context::note);
        if (open == null) {
            // Code that opens its own allocator is not seen, and a test that uses none cannot be told apart.
            blindness.ifPresent(this::reportBlindness);
            return;
        }
        long allocated = open.getAllocatedMemory();
        if (allocated > 0) {
            context.note("Arrow's allocator counts " + Quantities.size(allocated) + " still allocated");
        }
        open.close();
    }

    private void reportBlindness(String reason) {
        context.notInstalled("memory of allocators that the code under test opens is not seen", reason);
    }
}
