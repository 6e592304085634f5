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
    private static final int MAX_REPORTED_STEPS = 8;

    private static final int FIRST_STEPS = 4;

    private final ObjectFields contents = new ObjectFields();
    private final int maxObjects;
    private final Set<Object> targets;
    private final IdentityHashMap<Object, Step> found = new IdentityHashMap<>();
    private final Set<Object> visited = Collections.newSetFromMap(new IdentityHashMap<>());
    private final Deque<Step> open = new ArrayDeque<>();
    private long referencesRemaining;
    private boolean boundHit;

    Walk(Set<Object> wanted, int objectsAtMost) {
        this.targets = wanted;
        this.maxObjects = objectsAtMost;
        this.referencesRemaining = (long) objectsAtMost * REFERENCES_PER_OBJECT;
    }

    /** Begins at an object; the name tells it where no field does. */
    void from(Object root, Link link) {
        visit(root, link, null);
    }

    /** Begins at the static fields of a class. */
    void fromStaticsOf(Class<?> type) {
        contents.ofClass(type, (held, link) -> visit(held, link, null));
    }

    void traverse() {
        for (Step next = open.poll(); next != null && goesOn(); next = open.poll()) {
            Step step = next;
            contents.of(step.object, (held, link) -> visit(held, link, step));
        }
    }

    /** Returns the way to something that was looked for, if it was met. */
    Optional<List<String>> pathTo(Object target) {
        return Optional.ofNullable(found.get(target)).map(Walk::description);
    }

    int objects() {
        return visited.size();
    }

    /** Returns whether there was more to look at than was allowed. */
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

    /** A way may be as long as the list in which every handle holds the next: of a long one only its ends are gone through. */
    private static List<String> description(Step last) {
        if (last.steps == 0) {
            return List.of(last.root.link instanceof Link.Origin origin ? origin.name() : last.root.link.text());
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
        for (int told = 0; step != null && told < number; step = step.describedBefore) {
            if (step.isDescribed) {
                words.add(step.link.text());
                told++;
            }
        }
    }

    private static final class Step {
        private final Object object;
        private final Link link;
        private final boolean isDescribed;
        private final Step root;
        /** The last step before this one that is told. */
        private final @Nullable Step describedBefore;
        /** How many steps up to this one are told. */
        private final int steps;
        /** The last of those with which the words of a long way begin. */
        private final @Nullable Step beginning;

        Step(Object object, Link link, @Nullable Step by) {
            this.object = object;
            this.link = link;
            this.isDescribed = link.isDescribed();
            this.root = by == null ? this : by.root;
            this.describedBefore = by == null || by.isDescribed ? by : by.describedBefore;
            this.steps = (by == null ? 0 : by.steps) + (isDescribed ? 1 : 0);
            this.beginning = isDescribed && steps == FIRST_STEPS ? this : by == null ? null : by.beginning;
        }
    }
}
