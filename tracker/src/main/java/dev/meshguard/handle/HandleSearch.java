package dev.meshguard.handle;

import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Reachability;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.internal.ClassesOnStacks;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Finds the objects that still hold the handles of surviving buffers.
 *
 * <p>A buffer is freed through a handle: a tensor, a mesh buffer, a program. A survivor is <em>held</em> if its handle
 * is reachable but was not used, or <em>lost</em> if no code can free it any more. The two have different fixes, and
 * reports alone do not distinguish them.
 *
 * <pre>{@code
 * HandleSearch.from(this).trace(tracker, tracker.history());
 * assertThat(tracker).hasNoLeaks();
 * }</pre>
 *
 * <h2>How it works</h2>
 *
 * <p>A source reports the object through which the code under test holds each allocation. The tracker keeps a weak
 * reference to it, one for each request. A search visits everything reachable from the given objects, the nearest
 * first, and records the shortest path to each handle: {@code KvCacheTest.generator -> Model.weights -> ArrayList[12]}.
 * If it found no path to some of them, it requests a few garbage collections and looks which of their references are
 * empty afterwards. After the given objects and thread locals it looks at the static fields of the classes on the stacks of the
 * requests. It reads only classes of the system class loader that have run, which it therefore does not initialise, and waits at most a
 * second for static initializers that still run. The result becomes a part of the history, and so an input of the verdict.
 *
 * <p>It explains a leak and never decides whether there is one. Run it only if something survived. It costs some
 * milliseconds for each ten thousand objects, and a few collections if a handle has no path.
 *
 * <h2>Limits</h2>
 * <ul>
 *   <li>The search calls no code of the program under test: no {@code toString}, no {@code equals}, no iterator.
 *       Inherited contents of the program's own collections are therefore not read.
 *   <li>It opens no modules. Objects of the JDK are closed except for its containers.
 *   <li>Weak, soft and phantom references do not count as holders, and thread locals only if a source of the tracker can read
 *       them.
 *   <li>A handle that only a local variable or an object outside the given ones holds is reported as held, without a
 *       path.
 *   <li>If collections cannot be forced ({@code -XX:+DisableExplicitGC}), no handle is reported as lost.
 * </ul>
 *
 * <p>Immutable. A search may be used again, and by several threads.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class HandleSearch {

    private final List<Object> roots;
    private final List<Class<?>> statics;
    private final GarbageCollection garbage;

    private HandleSearch(List<Object> roots, List<Class<?>> statics, GarbageCollection garbage) {
        this.roots = roots;
        this.statics = statics;
        this.garbage = garbage;
    }

    /** Returns a search that starts at the given objects, for example at a test instance; each is named by its class. */
    public static HandleSearch from(Object... roots) {
        return new HandleSearch(List.of(roots), List.of(), GarbageCollection.forced());
    }

    /** Returns this search with another start: the static fields of this class only. */
    public HandleSearch statics(Class<?> type) {
        List<Class<?>> all = new ArrayList<>(statics);
        all.add(type);
        return new HandleSearch(roots, List.copyOf(all), garbage);
    }

    /** Returns this search with another collection of garbage; {@link GarbageCollection#forced()} by default. */
    public HandleSearch collectingBy(GarbageCollection newGarbage) {
        return new HandleSearch(roots, statics, newGarbage);
    }

    /**
     * Searches for the handle of every request with an open report in a history, and records the results.
     *
     * @param tracker records the results; a history that is taken afterwards contains them
     * @param history the history that was taken from this tracker
     * @return the classes of which objects or fields could not be read, in alphabetical order; empty if each reachable handle has
     *     a path
     */
    public List<String> trace(AllocationTracker tracker, AllocationHistory history) {
        List<MemoryRequest> open = openRequests(history);
        Paths paths = paths(tracker, open);
        // A path proves that a handle is held; only the others need a collection. Nothing here refers to a handle any
        // more.
        List<MemoryRequest> unfound =
                open.stream().filter(request -> !paths.to.containsKey(request)).toList();
        int proofs = garbage.runWhile(soFar -> isWorthCollecting(unfound, soFar));
        for (MemoryRequest request : open) {
            tracker.traced(request, reachability(request, paths, proofs));
        }
        return unfound.stream().allMatch(HandleSearch::isCollected) ? List.of() : paths.unread;
    }

    /** Looks for the handles before any garbage is collected, and refers to none of them when it returns. */
    private Paths paths(AllocationTracker tracker, List<MemoryRequest> open) {
        IdentityHashMap<MemoryRequest, Object> handles = new IdentityHashMap<>();
        open.forEach(
                request -> request.handle().map(WeakReference::get).ifPresent(handle -> handles.put(request, handle)));
        Walk walk = new Walk(
                handles.values(),
                tracker::isPartOfHandles,
                tracker.attachment(JdkReferences.class, () -> JdkReferences.NONE));
        if (!handles.isEmpty()) {
            roots.forEach(walk::from);
            statics.forEach(walk::fromStaticsOf);
            walk.traverse();
        }
        // Those who look for a holder look at their own objects first. The classes that allocated hold the most.
        walk.traverseThreadLocals();
        if (walk.goesOn()) {
            walk.traverseStaticsOf(classesOnStacks(open));
        }
        IdentityHashMap<MemoryRequest, List<String>> to = new IdentityHashMap<>();
        handles.forEach((request, handle) -> walk.pathTo(handle).ifPresent(path -> to.put(request, path)));
        return new Paths(to, walk.beyond(), walk.unread());
    }

    /** Returns the classes whose code requested the buffers: a cache in a static field is usually filled by its own class. */
    private Set<Class<?>> classesOnStacks(List<MemoryRequest> open) {
        return open.stream()
                .flatMap(request -> request.origin().stream())
                .flatMap(origin -> origin.frames().stream())
                .flatMap(frame -> ClassesOnStacks.named(frame.getClassName()).stream())
                .filter(type -> !statics.contains(type))
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    private static boolean isWorthCollecting(List<MemoryRequest> unfound, int proofs) {
        return proofs == 0
                ? !unfound.isEmpty()
                : proofs < GarbageCollection.PROOFS_NEEDED
                        && unfound.stream().anyMatch(request -> !isCollected(request));
    }

    private static Reachability reachability(MemoryRequest request, Paths paths, int proofs) {
        List<String> path = paths.to.get(request);
        if (path != null) {
            return Reachability.heldBy(path);
        }
        if (isCollected(request)) {
            // A reference may be empty by chance, but the result must not depend on chance.
            return proofs > 0 ? Reachability.lost() : Reachability.unknown();
        }
        return proofs < GarbageCollection.PROOFS_NEEDED ? Reachability.unknown() : Reachability.heldBy(paths.beyond);
    }

    private static boolean isCollected(MemoryRequest request) {
        return request.handle().orElseThrow().refersTo(null);
    }

    private static List<MemoryRequest> openRequests(AllocationHistory history) {
        return history.live().stream()
                .flatMap(buffer -> buffer.reportsRemaining().stream())
                .map(BufferGeneration.Report::request)
                .filter(request -> request.handle().isPresent())
                .distinct()
                .toList();
    }

    /** The paths to the handles that were found, and how far the search for them went. */
    private record Paths(IdentityHashMap<MemoryRequest, List<String>> to, List<String> beyond, List<String> unread) {}
}
