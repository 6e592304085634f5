package dev.meshguard.closeables;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.handle.GarbageCollection;
import dev.meshguard.handle.JdkReferences;
import dev.meshguard.junit.TestThreads;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.Lease;
import dev.meshguard.tracker.OriginFilter;
import dev.meshguard.tracker.internal.WeakIdentityMap;
import dev.meshguard.weave.ObjectWatcher;
import dev.meshguard.weave.WatchedType;
import dev.meshguard.weave.Weaver;
import java.lang.StackWalker.StackFrame;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The direct and mapped buffers that own memory, each reported to the tracker of the test whose thread allocated it.
 *
 * <p>They are held weakly, and compared by identity. Woven code knows one receiver for the whole process, so there is one object of this
 * class.
 *
 * <p>Safe for use by several threads.
 */
final class DirectBuffers implements ObjectWatcher {

    static final DirectBuffers OF_JVM = new DirectBuffers();

    private static final String BUFFER = "java.nio.DirectByteBuffer";

    /** The method is called by those who clean the buffer then, {@code Unsafe.invokeCleaner} above all. */
    private static final List<WatchedType> TYPES = List.of(new WatchedType(BUFFER, Set.of("cleaner")));

    /** The allocations of the JDK for itself: temporary buffers of channels, and those of its image. */
    private static final List<String> JDK_INTERNALS = List.of("sun.nio.ch.", "jdk.internal.");

    /** A user's line allocated it, even if the JDK did so for the user; on a thread of the JDK it is a line of the JDK. */
    private static final OriginFilter CALLERS =
            skipping("java.", "javax.", "jdk.", "sun.").orElse(skipping("java.lang.", "java.nio.", "sun.nio.ch."));

    private final WeakIdentityMap<OpenBuffer> open = new WeakIdentityMap<>(buffer -> buffer.freed(Lease::collected));
    private volatile JdkReferences jdk = JdkReferences.NONE;

    private DirectBuffers() {}

    private static OriginFilter skipping(String... ofTheJdk) {
        return OriginFilter.skipping(
                Stream.concat(Stream.of("dev.meshguard.weave.", DirectBuffers.class.getName()), Stream.of(ofTheJdk))
                        .toArray(String[]::new));
    }

    /**
     * A buffer whose memory is not free.
     *
     * @param owner empty if no tracked test and no run is responsible for it
     */
    private record OpenBuffer(long bytes, Optional<Owner> owner) {

        void freed(Consumer<Lease> report) {
            owner.ifPresent(one -> report.accept(one.lease()));
        }
    }

    private record Owner(AllocationTracker tracker, Lease lease) {}

    /**
     * Tracks buffers from now on. No lock is held: whoever the weaver waits for may allocate buffers.
     *
     * @return finds their holders
     * @throws dev.meshguard.weave.WeaverUnavailableException if no agent may be attached
     */
    JdkReferences watch() {
        if (jdk.equals(JdkReferences.NONE)) {
            jdk = OpenedJdk.open();
        }
        Weaver.watch(TYPES, this);
        return jdk;
    }

    /** Returns the classes whose buffers are not seen, each with the reason. */
    Map<String, String> unseen() {
        return Weaver.unseen(TYPES, this);
    }

    @Override
    public void constructed(Object object, Map<String, String> unheard) {
        ObjectWatcher.rejectUnheard(unheard);
        // Or else they would be kept after the last test that asks for them.
        open.forgetCollected();
        if (object instanceof ByteBuffer buffer
                && buffer.capacity() > 0
                && jdk.viewedBy(buffer).isEmpty()) {
            StackWalker.getInstance().walk(DirectBuffers::allocationOf).ifPresent(allocation -> {
                Optional<Owner> owner = allocation.isOfTheJdk()
                        ? Optional.empty()
                        : TestThreads.trackerOfThread(DirectMemorySource.ID)
                                .map(tracker -> lease(tracker, allocation.memory(), buffer));
                open.put(buffer, new OpenBuffer(buffer.capacity(), owner));
            });
        }
    }

    private static Owner lease(AllocationTracker tracker, String memory, ByteBuffer buffer) {
        AllocationDetails details = AllocationDetails.user().fromSource(memory).asFreedOnCollection();
        return new Owner(
                tracker,
                tracker.lease(details, CALLERS, BufferType.SYSTEM_MEMORY, buffer.capacity())
                        .handedOut(buffer));
    }

    /** An allocation of memory for a buffer. */
    private record Allocation(String memory, boolean isOfTheJdk) {}

    /** Returns what the innermost frames allocate: nothing for a slice or a view, and for memory of native code. */
    private static Optional<Allocation> allocationOf(Stream<StackFrame> frames) {
        List<String> callers = frames.map(frame -> frame.getClassName() + "." + frame.getMethodName())
                .dropWhile(frame -> !frame.startsWith(BUFFER))
                .dropWhile(frame -> frame.startsWith(BUFFER) && frame.endsWith(".<init>"))
                .limit(2)
                .toList();
        String allocating = callers.isEmpty() ? "" : callers.get(0);
        if (allocating.equals("java.nio.ByteBuffer.allocateDirect")) {
            boolean isOfTheJdk = callers.size() > 1 && JDK_INTERNALS.stream().anyMatch(callers.get(1)::startsWith);
            return Optional.of(new Allocation(DirectMemorySource.ID, isOfTheJdk));
        }
        return allocating.startsWith("sun.nio.ch.Util.newMappedByteBuffer")
                ? Optional.of(new Allocation(DirectMemorySource.MAPPED, false))
                : Optional.empty();
    }

    @Override
    public void constructionFailed(Object object) {
        removed(object, Lease::withdrawn);
    }

    @Override
    public void ended(Object object, String method, List<String> within, @Nullable Throwable reason) {
        if (reason == null) {
            removed(object, Lease::freed);
        }
    }

    private void removed(Object object, Consumer<Lease> report) {
        OpenBuffer removed = open.remove(object);
        if (removed != null) {
            removed.freed(report);
        }
    }

    /**
     * Reports the buffers that were collected, after it has forced a collection if any of a tracker is left.
     *
     * @return whether all others of the tracker are reachable; false if no collection can be forced
     */
    boolean freeCollected(AllocationTracker tracker, GarbageCollection garbage) {
        int proofs = garbage.runWhile(soFar -> soFar < GarbageCollection.PROOFS_NEEDED && hasOpen(tracker));
        return proofs == GarbageCollection.PROOFS_NEEDED || !hasOpen(tracker);
    }

    private boolean hasOpen(AllocationTracker tracker) {
        // A buffer may be in no queue yet.
        open.forgetAllCollected();
        return open.values().flatMap(buffer -> buffer.owner().stream()).anyMatch(owner -> owner.tracker() == tracker);
    }

    /** Returns the bytes of all buffers that are not free, as far as they were seen. */
    long bytes() {
        open.forgetAllCollected();
        return open.values().mapToLong(OpenBuffer::bytes).sum();
    }
}
