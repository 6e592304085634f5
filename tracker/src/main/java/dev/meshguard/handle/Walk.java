package dev.meshguard.handle;

import dev.meshguard.event.Quantities;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Visits all objects that the roots hold, the nearest first, until it has visited every target.
 *
 * <p>Not safe for use by several threads, and for one use: it holds everything that it visited.
 */
final class Walk {

    /** Bounds references too, because a container may hold far more references than distinct objects. */
    private static final int REFERENCES_PER_OBJECT = 16;

    private record Visited(Object object, Path path) {}

    private final ObjectFields fields;
    private final int maxObjects;
    private final Set<Object> targets = Collections.newSetFromMap(new IdentityHashMap<>());
    private final IdentityHashMap<Object, Path> found = new IdentityHashMap<>();
    private final Set<Object> visited = Collections.newSetFromMap(new IdentityHashMap<>());
    private final Deque<Visited> open = new ArrayDeque<>();
    private long referencesRemaining;
    private boolean boundHit;

    Walk(Collection<Object> targets, int maxObjects, Predicate<Class<?>> partsOfHandles) {
        this.fields = new ObjectFields(this::visit, partsOfHandles);
        this.targets.addAll(targets);
        this.maxObjects = maxObjects;
        this.referencesRemaining = (long) maxObjects * REFERENCES_PER_OBJECT;
    }

    /** Starts at the static fields of a class. */
    void fromStaticsOf(Class<?> type) {
        fields.visitStatics(type);
    }

    void traverse() {
        for (Visited next = open.poll(); next != null && goesOn(); next = open.poll()) {
            fields.visitContents(next.object(), next.path());
        }
    }

    /** Returns the path to a target, if it was visited. */
    Optional<List<String>> pathTo(Object target) {
        return Optional.ofNullable(found.get(target)).map(Path::steps);
    }

    /** Returns a step for the objects that were not visited, if the search stopped at its bound. */
    List<String> beyond() {
        return boundHit
                ? List.of("something beyond the " + Quantities.count(visited.size(), "object") + " that were searched")
                : List.of();
    }

    /** Returns the names of the classes with unreadable parts. */
    List<String> unread() {
        return fields.unread();
    }

    private boolean goesOn() {
        return !boundHit && found.size() < targets.size();
    }

    /** Visits a root, or an object that a visited one holds; returns whether to continue. */
    boolean visit(Object held, Path path) {
        if (visited.size() >= maxObjects || --referencesRemaining < 0) {
            boundHit = true;
            return false;
        }
        if (!JavaTypes.isLeaf(held.getClass()) && visited.add(held)) {
            if (targets.contains(held)) {
                found.put(held, path);
            }
            open.add(new Visited(held, path));
        }
        return goesOn();
    }
}
