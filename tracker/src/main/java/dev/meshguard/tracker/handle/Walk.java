package dev.meshguard.tracker.handle;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Goes from some objects to all that they hold, the nearest first, until it has met what it looks for.
 *
 * <p>Not safe for use by several threads, and for one use: it holds everything that it has met.
 */
final class Walk {

    /** A container may be larger than the objects in it are many. */
    private static final int REFERENCES_PER_OBJECT = 16;

    /** Steps of a path that are told; in a longer one the middle is left out. */
    private static final int STEPS_TOLD = 8;

    private static final int FIRST_STEPS = 4;

    private final Contents contents = new Contents();
    private final int objectsAtMost;
    private final Set<Object> wanted;
    private final IdentityHashMap<Object, Step> found = new IdentityHashMap<>();
    private final Set<Object> met = Collections.newSetFromMap(new IdentityHashMap<>());
    private final Deque<Step> open = new ArrayDeque<>();
    private long referencesLeft;
    private boolean boundHit;

    Walk(Set<Object> wanted, int objectsAtMost) {
        this.wanted = wanted;
        this.objectsAtMost = objectsAtMost;
        this.referencesLeft = (long) objectsAtMost * REFERENCES_PER_OBJECT;
    }

    /** Begins at an object; the name tells it where no field does. */
    void from(Object root, Link link) {
        meet(root, link, null);
    }

    /** Begins at the static fields of a class. */
    void fromStaticsOf(Class<?> type) {
        contents.ofClass(type, (held, link) -> meet(held, link, null));
    }

    void go() {
        for (Step next = open.poll(); next != null && goesOn(); next = open.poll()) {
            Step step = next;
            contents.of(step.object, (held, link) -> meet(held, link, step));
        }
    }

    /** Returns the way to something that was looked for, if it was met. */
    Optional<List<String>> pathTo(Object target) {
        return Optional.ofNullable(found.get(target)).map(Walk::words);
    }

    int objects() {
        return met.size();
    }

    /** Returns whether there was more to look at than was allowed. */
    boolean hitBound() {
        return boundHit;
    }

    List<String> unread() {
        return contents.unread();
    }

    private boolean goesOn() {
        return !boundHit && found.size() < wanted.size();
    }

    private boolean meet(Object held, Link link, @Nullable Step by) {
        if (met.size() >= objectsAtMost || --referencesLeft < 0) {
            boundHit = true;
            return false;
        }
        if (JavaTypes.isLeaf(held.getClass()) || !met.add(held)) {
            return true;
        }
        Step step = new Step(held, link, by);
        if (wanted.contains(held)) {
            found.put(held, step);
        }
        open.add(step);
        return goesOn();
    }

    private static List<String> words(Step last) {
        List<String> steps = new ArrayList<>();
        for (Step step = last; step != null; step = step.by) {
            if (!step.link.text().isEmpty()) {
                steps.add(step.link.text());
            }
        }
        if (steps.isEmpty()) {
            return List.of(originOf(last));
        }
        Collections.reverse(steps);
        return steps.size() <= STEPS_TOLD ? steps : shortened(steps);
    }

    private static String originOf(Step last) {
        Step first = last;
        while (first.by != null) {
            first = first.by;
        }
        return first.link instanceof Link.Origin origin ? origin.name() : first.link.text();
    }

    private static List<String> shortened(List<String> steps) {
        List<String> told = new ArrayList<>(steps.subList(0, FIRST_STEPS));
        told.add("…");
        told.addAll(steps.subList(steps.size() - (STEPS_TOLD - FIRST_STEPS - 1), steps.size()));
        return told;
    }

    private record Step(Object object, Link link, @Nullable Step by) {}
}
