package dev.meshguard.junit.internal.run;

import dev.meshguard.assertions.LeakAssertionError;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.IgnoredFreeReason;
import dev.meshguard.event.Origin;
import dev.meshguard.text.Quantities;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.Survivor;
import dev.meshguard.verdict.SurvivorStatus;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.WeakHashMap;

/**
 * Watches the frees after a failed check, and adds to the failure, when the test has ended, which leaked buffers were freed too late and
 * where.
 *
 * <p>JUnit closes what an earlier extension stores after everything that later ones store, so after the check. At the end of the test
 * such frees are in its tracker. Safe for use by several threads.
 */
public final class FreesAfterCheck {

    private final Map<LeakAssertionError, Watched> failures = Collections.synchronizedMap(new WeakHashMap<>());

    private record Watched(AllocationTracker tracker, Runnable poll) {}

    /**
     * Watches the frees that come after a failed check, until they are explained.
     *
     * @param poll lets sources report the frees that they only see when they are asked
     */
    public void watch(LeakAssertionError failure, AllocationTracker tracker, Runnable poll) {
        tracker.keepStacksOfFrees();
        failures.put(failure, new Watched(tracker, poll));
    }

    /** Adds to a failure, as a suppressed error, where its buffers were freed; the test has ended. */
    public void explain(LeakAssertionError failure) {
        Watched watched = failures.remove(failure);
        if (watched == null) {
            return;
        }
        List<StackTraceElement> frames = frees(failure, watched.tracker()).stream()
                .flatMap(free -> free.request().origin().stream())
                .map(Origin::frames)
                .filter(stack -> !stack.isEmpty())
                .findFirst()
                .orElse(List.of());
        watched.poll().run();
        int buffers = frees(failure, watched.tracker()).size();
        if (buffers > 0 && !isOfAnotherThread(frames)) {
            failure.addSuppressed(explanation(buffers, frames));
        }
    }

    /** Returns the first free after the check of each buffer that leaked. */
    private static List<HistoryEvent.OfMemory> frees(LeakAssertionError failure, AllocationTracker tracker) {
        long check =
                failure.verdict().history().check().map(HistoryEvent::number).orElse(Long.MAX_VALUE);
        List<HistoryEvent.OfMemory> later = tracker.history().events().stream()
                .filter(event -> event.number() > check)
                .filter(event -> event instanceof HistoryEvent.Freed
                        || (event instanceof HistoryEvent.FreeIgnored ignored
                                && ignored.reason() == IgnoredFreeReason.DEVICE_CLOSED))
                .map(HistoryEvent.OfMemory.class::cast)
                .toList();
        return failure.verdict().survivors(survivor -> survivor.status() == SurvivorStatus.LEAKED).stream()
                .map(Survivor::buffer)
                .flatMap(buffer -> later.stream()
                        .filter(event -> event.device() == buffer.device()
                                && event.type() == buffer.type()
                                && event.address() == buffer.address())
                        .findFirst()
                        .stream())
                .toList();
    }

    private static IllegalStateException explanation(int buffers, List<StackTraceElement> frames) {
        IllegalStateException late = new IllegalStateException(String.format(
                Locale.ROOT,
                "%s of this leak %s freed after the check%s. JUnit closes after the check what was stored before MeshGuard"
                        + " began. If an extension stores it, register MeshGuard before that extension, for example with"
                        + " @TrackAllocations above its @ExtendWith.",
                Quantities.count(buffers, "buffer"),
                buffers == 1 ? "was" : "were",
                frames.isEmpty() ? "" : ", by " + frames.get(frames.size() - 1)));
        late.setStackTrace(frames.toArray(StackTraceElement[]::new));
        return late;
    }

    private static boolean isOfAnotherThread(List<StackTraceElement> frames) {
        return !frames.isEmpty() && frames.get(frames.size() - 1).getClassName().startsWith("java.");
    }
}
