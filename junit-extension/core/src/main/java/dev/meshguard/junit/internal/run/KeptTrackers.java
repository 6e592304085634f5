package dev.meshguard.junit.internal.run;

import dev.meshguard.event.Origin;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.text.Quantities;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.Survivor;
import dev.meshguard.verdict.SurvivorStatus;
import dev.meshguard.verdict.expectation.ExpectedBuffers;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.opentest4j.AssertionFailedError;

/**
 * The trackers that tests had as a parameter, and that something may keep although the tests have ended.
 *
 * <p>Nobody checks what is reported to such a tracker later, for example by a binding that is created once. Held weakly, so only those
 * count that are still kept at the end of the run. Safe for use by several threads.
 */
public final class KeptTrackers {

    private final List<Ended> all = new ArrayList<>();

    private record Ended(
            WeakReference<AllocationTracker> tracker, long check, String test, List<StackTraceElement> stack) {}

    /**
     * Adds the tracker of a test that has ended.
     *
     * @param checked its history with the last check of the test
     * @param stack leads to the test
     */
    public synchronized void add(
            AllocationTracker tracker, AllocationHistory checked, String test, StackTraceElement... stack) {
        checked.check()
                .ifPresent(check ->
                        all.add(new Ended(new WeakReference<>(tracker), check.number(), test, List.of(stack))));
    }

    /**
     * Returns an error that names what was allocated through trackers after the checks of their tests, and not freed. Its
     * stack is that of the first allocation, or else leads to the test.
     */
    synchronized Optional<AssertionFailedError> finding(ExpectedBuffers expected) {
        List<String> lines = new ArrayList<>();
        List<StackTraceElement> stack = new ArrayList<>();
        for (Ended ended : all) {
            List<BufferGeneration> leaked = leakedLate(ended, expected);
            if (!leaked.isEmpty()) {
                if (stack.isEmpty()) {
                    stack.addAll(leaked.get(0)
                            .origin()
                            .map(Origin::frames)
                            .filter(frames -> !frames.isEmpty())
                            .orElse(ended.stack()));
                }
                lines.add(description(leaked, ended.test()));
            }
        }
        if (lines.isEmpty()) {
            return Optional.empty();
        }
        lines.add(
                "   fix   Ask for AllocationTracker in each test that allocates, or let tests share one with lifetime = CLASS.");
        AssertionFailedError failure = new AssertionFailedError(String.join("\n", lines));
        failure.setStackTrace(stack.toArray(StackTraceElement[]::new));
        return Optional.of(failure);
    }

    /** A verdict holds what was known at the check, so this one is on the history without it. */
    private static List<BufferGeneration> leakedLate(Ended ended, ExpectedBuffers expected) {
        AllocationTracker tracker = ended.tracker().get();
        if (tracker == null || tracker.liveBuffers() == 0) {
            return List.of();
        }
        AllocationHistory unchecked = tracker.history().withoutChecks();
        return LeakCheck.create().expecting(expected).examine(unchecked).survivors().stream()
                .filter(survivor ->
                        survivor.status() == SurvivorStatus.LEAKED || survivor.status() == SurvivorStatus.UNDECIDED)
                .map(Survivor::buffer)
                .filter(buffer -> buffer.allocatedAt() > ended.check())
                .toList();
    }

    private static String description(List<BufferGeneration> leaked, String test) {
        long bytes = leaked.stream().mapToLong(BufferGeneration::size).sum();
        String where = leaked.get(0)
                .origin()
                .flatMap(origin -> origin.site())
                .map(frame -> "; the first at " + frame)
                .orElse("");
        return "LEAK  " + Quantities.shortSize(bytes) + " in " + Quantities.count(leaked.size(), "buffer")
                + ", allocated through the AllocationTracker of " + test + " after the check of that test" + where;
    }
}
