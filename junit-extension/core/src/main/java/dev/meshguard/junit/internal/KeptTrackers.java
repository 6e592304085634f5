package dev.meshguard.junit.internal;

import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.Quantities;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.tracker.AllocationTracker;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.opentest4j.AssertionFailedError;

/**
 * The trackers that tests had as a parameter or a field, and that something may keep although the tests are over.
 *
 * <p>Nobody checks what is reported to such a tracker later, for example by a binding that is created once. Held weakly: a tracker
 * to which something may report is reachable. Safe for use by several threads.
 */
public final class KeptTrackers {

    private final List<Ended> all = new ArrayList<>();

    private record Ended(WeakReference<AllocationTracker> tracker, String test) {}

    /** Adds the tracker of a test that is over and was checked. */
    public synchronized void add(AllocationTracker tracker, String test) {
        all.add(new Ended(new WeakReference<>(tracker), test));
    }

    /** Returns an error that names what was allocated through trackers of ended tests, and not freed. */
    synchronized Optional<AssertionFailedError> finding() {
        List<String> lines = new ArrayList<>();
        for (Ended ended : all) {
            AllocationTracker tracker = ended.tracker().get();
            List<BufferGeneration> left =
                    tracker == null || tracker.liveBuffers() == 0 ? List.of() : allocatedLate(tracker.history());
            if (!left.isEmpty()) {
                lines.add(description(left, ended.test()));
            }
        }
        if (lines.isEmpty()) {
            return Optional.empty();
        }
        lines.add(
                "   fix   Ask for AllocationTracker in each test that allocates, or let tests share one with lifetime = CLASS or"
                        + " SUITE.");
        return Optional.of(new AssertionFailedError(String.join("\n", lines)));
    }

    private static List<BufferGeneration> allocatedLate(AllocationHistory history) {
        long checked = history.check().map(HistoryEvent::number).orElse(Long.MAX_VALUE);
        return history.live().stream()
                .filter(buffer -> buffer.allocatedAt() > checked)
                .toList();
    }

    private static String description(List<BufferGeneration> left, String test) {
        long bytes = left.stream().mapToLong(BufferGeneration::size).sum();
        String where = left.get(0)
                .origin()
                .flatMap(origin -> origin.site())
                .map(frame -> "; the first at " + frame)
                .orElse("");
        return "LEAK  " + Quantities.shortSize(bytes) + " in " + Quantities.count(left.size(), "buffer")
                + ", allocated through the AllocationTracker of " + test + " after that was over and checked" + where;
    }
}
