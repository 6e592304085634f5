package dev.meshguard.handle;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Visits all objects that the roots hold, the nearest first, until it has visited every target.
 *
 * <p>Not safe for use by several threads, and for one use: it holds everything that it visited.
 */
final class Walk {

    /** Bounds references too, because a container may hold far more references than distinct objects. */
    private static final int REFERENCES_PER_OBJECT = 16;

    /** The maximum number of reported steps of a path; the middle of a longer one is omitted. */
    private static final int MAX_REPORTED_STEPS = 8;

    private static final int FIRST_STEPS = 4;

    private final ObjectFields contents;
    private final int maxObjects;
    private final Set<Object> targets;
    private final IdentityHashMap<Object, Step> found = new IdentityHashMap<>();
    private final Set<Object> visited = Collections.newSetFromMap(new IdentityHashMap<>());
    private final Deque<Step> open = new ArrayDeque<>();
    private long referencesRemaining;
    private boolean boundHit;

    Walk(Set<Object> wanted, int objectsAtMost, Predicate<Class<?>> partsOfHandles) {
        this.contents = new ObjectFields(partsOfHandles);
        this.targets = wanted;
        this.maxObjects = objectsAtMost;
        this.referencesRemaining = (long) objectsAtMost * REFERENCES_PER_OBJECT;
    }

    /** Starts at an object, which the link names if no field does. */
    void from(Object root, Link link) {
        visit(root, link, null);
    }

    /** Starts at the static fields of a class. */
    void fromStaticsOf(Class<?> type) {
        contents.ofClass(type, (held, link) -> visit(held, link, null));
    }

    void traverse() {
        for (Step next = open.poll(); next != null && goesOn(); next = open.poll()) {
            Step step = next;
            contents.of(step.object, (held, link) -> visit(held, link, step));
        }
    }

    /** Returns the path to a target, if it was visited. */
    Optional<List<String>> pathTo(Object target) {
        return Optional.ofNullable(found.get(target)).map(Walk::description);
    }

    int objects() {
        return visited.size();
    }

    /** Returns whether the search stopped at its bound. */
    boolean hitBound() {
        return boundHit;
    }

    List<String> unread() {
        return contents.unread();
    }

    private boolean goesOn() {
        return !boundHit && found.size() < targets.size();
    }

    private boolean visit(Object held, Link link, @Nullable Step by) {
        if (visited.size() >= maxObjects || --referencesRemaining < 0) {
            boundHit = true;
            return false;
        }
        if (JavaTypes.isLeaf(held.getClass()) || !visited.add(held)) {
            return true;
        }
        Step step = new Step(held, link, by);
        if (targets.contains(held)) {
            found.put(held, step);
        }
        open.add(step);
        return goesOn();
    }

    /** A path may be as long as a linked list of all handles, so only the ends of a long one are read. */
    private static List<String> description(Step last) {
        if (last.steps == 0) {
            return List.of(last.root.link.text());
        }
        boolean isLong = last.steps > MAX_REPORTED_STEPS;
        List<String> steps = new ArrayList<>();
        backwards(last, isLong ? MAX_REPORTED_STEPS - FIRST_STEPS - 1 : last.steps, steps);
        if (isLong) {
            steps.add("…");
            backwards(last.beginning, FIRST_STEPS, steps);
        }
        Collections.reverse(steps);
        return steps;
    }

    private static void backwards(@Nullable Step last, int number, List<String> words) {
        Step step = last;
        for (int count = 0; step != null && count < number; step = step.describedBefore) {
            if (step.isDescribed) {
                words.add(step.link.text());
                count++;
            }
        }
    }

    private static final class Step {
        private final Object object;
        private final Link link;
        private final boolean isDescribed;
        private final Step root;
        /** The last reported step before this one. */
        private final @Nullable Step describedBefore;
        /** The number of reported steps up to this one. */
        private final int steps;
        /** The last of the steps at the beginning of a long path's text. */
        private final @Nullable Step beginning;

        Step(Object object, Link link, @Nullable Step by) {
            this.object = object;
            this.link = link;
            this.isDescribed = link.isStep();
            this.root = by == null ? this : by.root;
            this.describedBefore = by == null || by.isDescribed ? by : by.describedBefore;
            this.steps = (by == null ? 0 : by.steps) + (isDescribed ? 1 : 0);
            this.beginning = isDescribed && steps == FIRST_STEPS ? this : by == null ? null : by.beginning;
        }
    }
}
