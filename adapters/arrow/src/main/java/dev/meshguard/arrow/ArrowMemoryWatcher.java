package dev.meshguard.arrow;

import dev.meshguard.junit.TestThreads;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.Lease;
import dev.meshguard.weave.ObjectWatcher;
import dev.meshguard.weave.WatchedMethods;
import dev.meshguard.weave.WatchedType;
import dev.meshguard.weave.Weaver;
import java.lang.ref.WeakReference;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.arrow.memory.AllocationManager;
import org.apache.arrow.memory.BufferAllocator;
import org.jspecify.annotations.Nullable;

/**
 * Watches, by weaving, each block of memory of Arrow's allocators, and reports it to the tracker of the test whose thread allocates it.
 *
 * <p>Arrow has an {@link AllocationManager} for each block of memory. It calls {@code associate} with the allocator as soon as the block is
 * allocated, and for each allocator to which the block is transferred; it calls {@code release0} when the last reference is released.
 *
 * <p>Held weakly. Safe for use by several threads.
 */
final class ArrowMemoryWatcher implements ObjectWatcher {

    private static final ArrowMemoryWatcher OF_JVM = new ArrowMemoryWatcher();

    private static final WatchedMethods ALLOCATIONS =
            new WatchedMethods(AllocationManager.class.getName(), Set.of("associate"));

    private static final List<WatchedType> TYPES = List.of(
            new WatchedType(AllocationManager.class.getName(), Set.of("release0")),
            new WatchedType("org.apache.arrow.memory.BaseAllocator", Set.of("close")));

    /** Arrow compares both kinds of objects by identity. */
    private final Map<AllocationManager, Block> blocks = Collections.synchronizedMap(new WeakHashMap<>());

    /** The blocks of which no allocator is known yet: any other has been transferred. */
    private final Set<AllocationManager> constructed =
            Collections.newSetFromMap(Collections.synchronizedMap(new WeakHashMap<>()));

    private final Map<BufferAllocator, Life> allocators = Collections.synchronizedMap(new WeakHashMap<>());

    private boolean isWatching;

    private ArrowMemoryWatcher() {}

    /** A block of memory that is not released. */
    private record Block(AllocationTracker tracker, Lease lease, WeakReference<BufferAllocator> allocator) {}

    /** The life of an allocator: where it was created, and why it could not be closed. */
    private record Life(Throwable created, AtomicReference<String> failure) {

        String description(String name) {
            String failed = failure.get();
            return "the allocator \"" + name + "\" was created at " + TrackedMemory.CALLERS.originOf(created)
                    + (failed == null ? "" : ", and its close failed: " + failed);
        }
    }

    /**
     * Sees the memory of all allocators from now on.
     *
     * @throws dev.meshguard.weave.WeaverUnavailableException if no Java agent may be attached
     */
    static void see() {
        OF_JVM.begin();
    }

    private synchronized void begin() {
        if (!isWatching) {
            Weaver.watch(TYPES, this);
            Weaver.watchCalls(List.of(ALLOCATIONS), this::associated);
            isWatching = true;
        }
    }

    /** Returns the classes of Arrow whose memory is not seen, each with the reason. */
    static Map<String, String> unseen() {
        return Weaver.unseen(TYPES, OF_JVM);
    }

    /** Returns what is known of the allocators that have memory of a tracker, for a reader. */
    static List<String> allocators(AllocationTracker tracker) {
        return OF_JVM.blocksOf(tracker).stream()
                .flatMap(block -> Optional.ofNullable(block.allocator().get()).stream())
                .distinct()
                .flatMap(allocator -> Optional.ofNullable(OF_JVM.allocators.get(allocator))
                        .map(life -> life.description(allocator.getName()))
                        .stream())
                .toList();
    }

    private List<Block> blocksOf(AllocationTracker tracker) {
        synchronized (blocks) {
            return blocks.values().stream()
                    .filter(block -> block.tracker().equals(tracker))
                    .toList();
        }
    }

    private void associated(Object receiver, String method, @Nullable Object argument) {
        if (receiver instanceof AllocationManager memory
                && argument instanceof BufferAllocator allocator
                && constructed.remove(memory)) {
            // The tracker of memory from the parameter is that of its test, whatever the thread.
            if (memory instanceof TrackedMemory ofTest) {
                blocks.put(memory, new Block(ofTest.tracker(), ofTest.lease(), new WeakReference<>(allocator)));
            } else {
                TestThreads.trackerOfThread(ArrowSource.ID).ifPresent(tracker -> {
                    Lease lease = TrackedMemory.lease(tracker, allocator, memory.getSize(), memory);
                    blocks.put(memory, new Block(tracker, lease, new WeakReference<>(allocator)));
                });
            }
        }
    }

    @Override
    public void constructed(Object object, Map<String, String> unheard) {
        ObjectWatcher.rejectUnheard(unheard);
        if (object instanceof BufferAllocator allocator && !(object instanceof TrackedRootAllocator)) {
            allocators.put(allocator, new Life(new Throwable(), new AtomicReference<>()));
        } else if (object instanceof AllocationManager memory) {
            constructed.add(memory);
        }
    }

    @Override
    public void constructionFailed(Object object) {
        // Neither an allocator without memory nor a block without allocator is reported.
    }

    @Override
    public void ended(Object object, String method, List<String> within, @Nullable Throwable reason) {
        if (reason != null) {
            failed(object, reason);
        } else if (object instanceof AllocationManager memory) {
            Block released = blocks.remove(memory);
            if (released != null && !(memory instanceof TrackedMemory)) {
                released.lease().freed();
            }
        }
    }

    private void failed(Object object, Throwable reason) {
        if (object instanceof AllocationManager memory) {
            Optional.ofNullable(blocks.get(memory))
                    .ifPresent(block -> block.lease().freeFailed(reason));
        } else if (object instanceof BufferAllocator allocator) {
            // Arrow adds a list of all memory in further lines.
            String line = String.valueOf(reason).lines().findFirst().orElse("");
            Optional.ofNullable(allocators.get(allocator))
                    .ifPresent(life -> life.failure().set(line));
        }
    }
}
