package dev.meshguard.junit.internal.run;

import dev.meshguard.event.Origin;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * The meshes that tracked tests have opened on trackers of their own, for example as beans.
 *
 * <p>No test checks such a tracker. Keeps no tracker, no mesh and no stack. Safe for use by several threads.
 */
public final class UnexaminedMeshes {

    private final List<Opening> all = new ArrayList<>();

    private record Opening(BooleanSupplier isExamined, String line) {}

    /** Adds a mesh that the calling thread opens. */
    public void add(BooleanSupplier isExamined) {
        String line = Origin.of(Thread.currentThread().getStackTrace()).toString();
        synchronized (this) {
            all.add(new Opening(isExamined, line));
        }
    }

    /** Returns the sentence about those of which nobody has examined the tracker until now. */
    synchronized Optional<String> note() {
        List<Opening> unexamined = all.stream()
                .filter(opening -> !opening.isExamined().getAsBoolean())
                .toList();
        return unexamined.stream()
                .findFirst()
                .map(first -> String.format(
                        Locale.ROOT,
                        "Tracked tests opened %s on trackers that nobody checked, the first at %s. Open it with the Ttnn or the"
                                + " AllocationTracker of the test (docs/lifecycle.md).",
                        unexamined.size() == 1 ? "1 mesh" : unexamined.size() + " meshes",
                        first.line()));
    }
}
