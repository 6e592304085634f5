package dev.meshguard.junit.internal;

import dev.meshguard.assertions.LeakAssertionError;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.IgnoredFreeReason;
import dev.meshguard.event.Origin;
import dev.meshguard.event.Quantities;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.SurvivorStatus;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.WeakHashMap;
import java.util.stream.Stream;

/**
 * Explains the failure of a test whose buffers JUnit frees after the check.
 *
 * <p>JUnit closes what an earlier extension stores after everything that later ones store, so after the check. At the end of the test
 * such frees are in its tracker. Safe for use by several threads.
 */
public final class FreesAfterCheck {

    private final Map<LeakAssertionError, AllocationTracker> failures =
            Collections.synchronizedMap(new WeakHashMap<>());

    /** Watches the frees that come after a failed check. */
    public void watch(LeakAssertionError failure, AllocationTracker tracker) {
        tracker.keepStacksOfFrees();
        failures.put(failure, tracker);
    }

    /** Adds to a failure, as a suppressed error, where its buffers were freed; the test has ended. */
    public void explain(LeakAssertionError failure) {
        Optional.ofNullable(failures.remove(failure)).ifPresent(tracker -> explain(failure, tracker.history()));
    }

    private static void explain(LeakAssertionError failure, AllocationHistory whole) {
        List<Origin> frees = new ArrayList<>();
        long count = failure.verdict().survivors(survivor -> survivor.status() == SurvivorStatus.LEAKED).stream()
                .filter(survivor -> {
                    Optional<Origin> free = freesAfter(failure, whole)
                            .filter(event -> event.device() == survivor.buffer().device()
                                    && event.type() == survivor.buffer().type()
                                    && event.address() == survivor.buffer().address())
                            .flatMap(event -> event.request().origin().stream())
                            .filter(FreesAfterCheck::isCalledByJUnit)
                            .findFirst();
                    free.ifPresent(frees::add);
                    return free.isPresent();
                })
                .count();
        if (count > 0) {
            List<StackTraceElement> frames = frees.get(0).frames();
            IllegalStateException late = new IllegalStateException(String.format(
                    Locale.ROOT,
                    "%s of this leak %s freed after the check, by %s. JUnit closed it after the check, because it was stored"
                            + " before MeshGuard began. If an extension stores it, register MeshGuard before that extension, for example"
                            + " with @TrackAllocations above its @ExtendWith.",
                    Quantities.count(count, "buffer"),
                    count == 1 ? "was" : "were",
                    frames.get(frames.size() - 1)));
            late.setStackTrace(frames.toArray(StackTraceElement[]::new));
            failure.addSuppressed(late);
        }
    }

    private static Stream<HistoryEvent.OfMemory> freesAfter(LeakAssertionError failure, AllocationHistory whole) {
        long check =
                failure.verdict().history().check().map(HistoryEvent::number).orElse(Long.MAX_VALUE);
        return whole.events().stream()
                .filter(event -> event.number() > check)
                .filter(event -> event instanceof HistoryEvent.Freed
                        || (event instanceof HistoryEvent.FreeIgnored ignored
                                && ignored.reason() == IgnoredFreeReason.DEVICE_CLOSED))
                .map(HistoryEvent.OfMemory.class::cast);
    }

    /** The stack of another thread ends in a class of the JDK. */
    private static boolean isCalledByJUnit(Origin free) {
        List<StackTraceElement> frames = free.frames();
        return !frames.isEmpty()
                && !frames.get(frames.size() - 1).getClassName().startsWith("java.");
    }
}
