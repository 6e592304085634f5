package dev.meshguard.tracker.handle;

import dev.meshguard.event.Quantities;
import dev.meshguard.event.Reachability;
import dev.meshguard.tracker.AllocationRequest;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.history.AllocationHistory;
import dev.meshguard.tracker.history.BufferGeneration;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Finds out who still holds the buffers that nobody freed.
 *
 * <p>A buffer is freed through a handle: a tensor, a mesh buffer, a program. So a buffer that is left is either <em>held</em>, because
 * somebody has its handle and has not used it, or <em>lost</em>, because nobody can free it any more. The two have different
 * remedies, and from reports alone nobody can tell them apart.
 *
 * <pre>{@code
 * HandleSearch.from(this).trace(tracker, tracker.history());
 * assertThat(tracker).hasNoLeaks();
 * }</pre>
 *
 * <h2>How it works</h2>
 *
 * <p>A source of reports says by which object the code under test holds what it asked for; the tracker keeps a weak reference to it,
 * one for each request. A search asks for collections, a few at most, and looks which of these references are empty afterwards.
 * For the others it goes from the objects it was given to all that they hold, the nearest first, and writes down the shortest way:
 * {@code KvCacheTest.generator -> Model.weights -> ArrayList[12]}. What it finds becomes a part of the history, and so an input of the
 * verdict like any other.
 *
 * <p>It explains a leak and never decides whether there is one. To be asked for only when something was left: it costs a few
 * collections, and where a path is looked for, some milliseconds for each ten thousand objects.
 *
 * <h2>Limits</h2>
 *
 * <p>Nothing is called that the program under test wrote: no {@code toString}, no {@code equals}, no iterator. So what a collection of its own
 * has inherited from a JDK's collection stays unread. Nor are modules opened; the JDK's own objects are closed but for its
 * containers. Weak, soft and phantom references hold nothing here, and neither do thread-locals. A handle that only a local variable or something outside the
 * given objects holds is said to be held, without a path. Where collections cannot be forced
 * ({@code -XX:+DisableExplicitGC}) nothing is called lost.
 *
 * <p>Immutable; a search may be used again, and by several threads.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class HandleSearch {

    /** How many objects are looked into unless a builder says otherwise. */
    public static final int DEFAULT_OBJECTS = 200_000;

    /** How many collections are asked for at most unless a builder says otherwise. */
    public static final int DEFAULT_COLLECTIONS = 4;

    /** In the first collection an object may be kept that was handed from one generation of the heap to the next. */
    private static final int PROOFS_NEEDED = 2;

    private final List<Start> starts;
    private final int objects;
    private final int collections;
    private final GarbageCollection garbage;

    private HandleSearch(Builder builder) {
        this.starts = List.copyOf(builder.starts);
        this.objects = builder.objects;
        this.collections = builder.collections;
        this.garbage = builder.garbage;
    }

    /** Returns a search that begins at the fields of the given objects, for example of a test instance. */
    public static HandleSearch from(Object... roots) {
        Builder builder = builder();
        for (Object root : roots) {
            builder.instance(root);
        }
        return builder.build();
    }

    /** Starts a search that begins elsewhere or goes further. */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * Finds out for every request that has a report open in a history whether its handle is still reachable, and records it.
     *
     * @param tracker where it is recorded; a history that is taken afterwards knows it
     * @param history what that tracker had recorded
     * @return how it went
     */
    public SearchSummary trace(AllocationTracker tracker, AllocationHistory history) {
        List<AllocationRequest> open = openRequests(history);
        if (open.isEmpty()) {
            return new SearchSummary(0, 0, 0, false, 0, true, List.of());
        }
        int rounds = 0;
        int proofs = 0;
        // Until the paths are looked for nothing here may refer to a handle, or it would be this that holds it.
        while (rounds < collections && (proofs == 0 || (proofs < PROOFS_NEEDED && isAnyRemaining(open)))) {
            rounds++;
            proofs += garbage.run() ? 1 : 0;
        }
        return record(tracker, open, rounds, proofs);
    }

    private SearchSummary record(AllocationTracker tracker, List<AllocationRequest> open, int rounds, int proofs) {
        Set<Object> left = Collections.newSetFromMap(new IdentityHashMap<>());
        open.forEach(request -> handleOf(request).ifPresent(left::add));
        Walk walk = new Walk(left, objects);
        if (!left.isEmpty()) {
            starts.forEach(start -> start.begin(walk));
            walk.traverse();
        }
        int withoutPath = 0;
        for (AllocationRequest request : open) {
            Optional<Object> handle = handleOf(request);
            tracker.traced(request, finding(handle, walk, proofs));
            withoutPath += handle.isPresent() && handle.flatMap(walk::pathTo).isEmpty() ? 1 : 0;
        }
        boolean complete = !walk.hitBound() && walk.unread().isEmpty();
        return new SearchSummary(open.size(), withoutPath, rounds, proofs > 0, walk.objects(), complete, walk.unread());
    }

    private Reachability finding(Optional<Object> handle, Walk walk, int proofs) {
        Optional<List<String>> path = handle.flatMap(walk::pathTo);
        if (path.isPresent()) {
            return Reachability.heldBy(path.get());
        }
        if (handle.isEmpty()) {
            // A reference may be empty by chance, but what is said must not depend on chance.
            return proofs > 0 ? Reachability.lost() : Reachability.unknown();
        }
        if (proofs < PROOFS_NEEDED) {
            return Reachability.unknown();
        }
        return walk.hitBound() ? Reachability.heldBy(List.of(beyond(walk.objects()))) : Reachability.held();
    }

    private static String beyond(int searched) {
        return String.format(
                Locale.ROOT, "something beyond the %s that were searched", Quantities.count(searched, "object"));
    }

    private static boolean isAnyRemaining(List<AllocationRequest> open) {
        return open.stream().anyMatch(request -> !request.handle().orElseThrow().refersTo(null));
    }

    private static Optional<Object> handleOf(AllocationRequest request) {
        return request.handle().map(WeakReference::get);
    }

    private static List<AllocationRequest> openRequests(AllocationHistory history) {
        Set<AllocationRequest> open = Collections.newSetFromMap(new IdentityHashMap<>());
        List<AllocationRequest> inOrder = new ArrayList<>();
        for (BufferGeneration buffer : history.live()) {
            for (BufferGeneration.Report report : buffer.reportsRemaining()) {
                AllocationRequest request = report.request();
                if (request.handle().isPresent() && open.add(request)) {
                    inOrder.add(request);
                }
            }
        }
        return inOrder;
    }

    /** Where a search begins. */
    private sealed interface Start {

        void begin(Walk walk);

        record Instance(Object root) implements Start {
            @Override
            public void begin(Walk walk) {
                walk.from(root, new Link.Origin(Link.nameOf(root.getClass())));
            }
        }

        record Statics(Class<?> type) implements Start {
            @Override
            public void begin(Walk walk) {
                walk.fromStaticsOf(type);
            }
        }

        record Named(String name, Object root) implements Start {
            @Override
            public void begin(Walk walk) {
                walk.from(root, new Link.Root(name));
            }
        }
    }

    /** Chooses where a search begins and how far it goes; not safe for use by several threads. */
    @API(status = Status.EXPERIMENTAL, since = "0.1")
    public static final class Builder {

        private final List<Start> starts = new ArrayList<>();
        private int objects = DEFAULT_OBJECTS;
        private int collections = DEFAULT_COLLECTIONS;
        private GarbageCollection garbage = GarbageCollection.forced();

        private Builder() {}

        /** Begins at the fields of an object, which goes by the name of its class. */
        public Builder instance(Object root) {
            starts.add(new Start.Instance(root));
            return this;
        }

        /** Begins at the static fields of a class; of no other. */
        public Builder statics(Class<?> type) {
            starts.add(new Start.Statics(type));
            return this;
        }

        /** Begins at an object that a reader knows by another name than that of its class, for example {@code parameter cache}. */
        public Builder named(String name, Object root) {
            starts.add(new Start.Named(name, root));
            return this;
        }

        /**
         * Chooses how many objects are met at most, {@value #DEFAULT_OBJECTS} unless set.
         *
         * @throws IllegalArgumentException if the number is not positive
         */
        public Builder maxObjects(int number) {
            objects = requirePositive("objects", number);
            return this;
        }

        /**
         * Chooses how many collections are asked for at most, {@value #DEFAULT_COLLECTIONS} unless set.
         *
         * @throws IllegalArgumentException if the number is not positive
         */
        public Builder maxCollections(int number) {
            collections = requirePositive("collections", number);
            return this;
        }

        /** Chooses how garbage is collected; {@link GarbageCollection#forced()} unless set. */
        public Builder collectingBy(GarbageCollection newGarbage) {
            garbage = newGarbage;
            return this;
        }

        /** Returns the search. */
        public HandleSearch build() {
            return new HandleSearch(this);
        }

        private static int requirePositive(String what, int number) {
            if (number < 1) {
                throw new IllegalArgumentException(
                        String.format(Locale.ROOT, "Cannot search with %d %s at most: give 1 or more", number, what));
            }
            return number;
        }
    }
}
