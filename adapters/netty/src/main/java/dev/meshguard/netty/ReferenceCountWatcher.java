package dev.meshguard.netty;

import dev.meshguard.tracker.internal.WeakIdentityMap;
import dev.meshguard.weave.CallWatcher;
import dev.meshguard.weave.MockitoObjects;
import dev.meshguard.weave.WatchedMethods;
import dev.meshguard.weave.Weaver;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import io.netty.util.ResourceLeakHint;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Counts the references to the reported buffers of all tests, if this JVM has a Java agent.
 *
 * <p>Wrappers, slices and duplicates call the buffer that they show when they are retained and released. The wrapper that reports the
 * last release answers {@code touch} itself. Who retains a composite retains its components. Source:
 * {@code io.netty.buffer.AbstractReferenceCountedByteBuf}, {@code SimpleLeakAwareByteBuf}, {@code CompositeByteBuf}.
 *
 * <p>Safe for use by several threads.
 */
final class ReferenceCountWatcher implements CallWatcher {

    private static final List<WatchedMethods> CALLS = List.of(
            new WatchedMethods("io.netty.buffer.AbstractReferenceCountedByteBuf", Set.of("retain", "release", "touch")),
            new WatchedMethods("io.netty.buffer.SimpleLeakAwareByteBuf", Set.of("touch")),
            new WatchedMethods("io.netty.buffer.CompositeByteBuf", Set.of("touch")));

    private static final int MAX_HINT_CHARS = 200;

    /** A pool hands out the same object again. */
    private final WeakIdentityMap<BufferReferences> counted = new WeakIdentityMap<>();

    private volatile boolean isWatching;

    /** Returns whether retains, releases and touches are seen; with the agent that a later test attaches, they are from then on. */
    boolean watch() {
        isWatching = Weaver.watchCalls(CALLS, this);
        return isWatching;
    }

    boolean isWatching() {
        return isWatching;
    }

    /** Counts the references to a buffer from now on, which was just allocated. */
    BufferReferences count(ByteBuf buffer, BufferReferences references) {
        counted.put(buffer, references);
        return references;
    }

    /** Counts no more, unless the pool has handed out the object again. */
    void forget(ByteBuf buffer, BufferReferences references) {
        counted.remove(buffer, references);
    }

    @Override
    public void called(Object receiver, String method, @Nullable Object argument) {
        if (counted.isEmpty()) {
            return;
        }
        ByteBuf buffer = (ByteBuf) receiver;
        BufferReferences known = counted.get(buffer);
        if (isMock(buffer)) {
            return;
        }
        int references = argument instanceof Integer several ? several : 1;
        // Of the last release nothing is kept: nobody asks about a buffer that was released.
        if (method.equals("release") && buffer.refCnt() <= references) {
            return;
        }
        Optional<String> hint =
                method.equals("touch") && argument != null ? Optional.of(textOf(argument)) : Optional.empty();
        if (known != null) {
            known.called(method, references, hint);
        } else {
            buffersIn(buffer).forEach(part -> part.called(method, references, hint));
        }
    }

    /** Returns whether a buffer is a mock: of one that was counted, nobody needs to ask Mockito. */
    private boolean isMock(ByteBuf buffer) {
        return counted.get(buffer) == null && MockitoObjects.isMock(buffer);
    }

    /** Returns the references to what a wrapper or a composite shows, which is no mock itself. */
    private Stream<BufferReferences> buffersIn(ByteBuf buffer) {
        ByteBuf whole = buffer;
        for (ByteBuf part = buffer.unwrap(); part != null; part = part.unwrap()) {
            if (isMock(part)) {
                return Stream.empty();
            }
            whole = part;
        }
        return whole instanceof CompositeByteBuf composite
                ? IntStream.range(0, composite.numComponents())
                        .mapToObj(composite::internalComponent)
                        .filter(component -> !isMock(component))
                        .flatMap(this::buffersIn)
                : Stream.ofNullable(counted.get(whole));
    }

    /** As Netty's own detector does: of a channel, its handler. The object itself would be kept alive. */
    private static String textOf(Object hint) {
        try {
            String text = hint instanceof ResourceLeakHint named ? named.toHintString() : hint.toString();
            return text.length() <= MAX_HINT_CHARS ? text : text.substring(0, MAX_HINT_CHARS) + "…";
        } catch (RuntimeException unreadable) {
            return hint.getClass().getName();
        }
    }
}
