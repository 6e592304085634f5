package dev.meshguard.junit.internal.config;

import dev.meshguard.junit.AllocationCheck;
import dev.meshguard.junit.IncompleteTestPolicy;
import dev.meshguard.junit.LateFreePolicy;
import dev.meshguard.tracker.OriginCapture;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Outcome;
import java.time.Duration;
import java.util.Optional;
import org.opentest4j.TestAbortedException;

/**
 * The resolved settings of a memory check.
 *
 * @param check the condition that must hold
 * @param origins the calls whose stacks are captured
 * @param onFailure how the check of a failed test is handled
 * @param onAbort how the check of an aborted test is handled
 * @param lateFrees how frees after the begin of close are handled
 * @param grace the longest wait for late frees
 */
public record CheckPolicy(
        AllocationCheck check,
        OriginCapture origins,
        IncompleteTestPolicy onFailure,
        IncompleteTestPolicy onAbort,
        LateFreePolicy lateFrees,
        Duration grace) {

    /** The policies if no location sets any. */
    static final CheckPolicy DEFAULTS = of(PartialSettings.NONE);

    /** Resolves omitted settings by their defaults. */
    public static CheckPolicy of(PartialSettings given) {
        return new CheckPolicy(
                given.resolve(TrackingSetting.CHECK),
                given.resolve(TrackingSetting.ORIGINS),
                given.resolve(TrackingSetting.ON_FAILURE),
                given.resolve(TrackingSetting.ON_ABORT),
                given.resolve(TrackingSetting.LATE_FREES),
                given.resolve(TrackingSetting.GRACE));
    }

    /** Returns whether a verdict satisfies the check, excluding late frees if these are only reported. */
    public boolean holdFor(LeakVerdict verdict) {
        return switch (check) {
            case CLEAN, DEFAULT -> isClean(verdict);
            case NO_LEAKS -> isLeakFree(verdict) && verdict.meetsExpectations();
            case ONLY_EXPECTED_SYSTEM_BUFFERS ->
                verdict.outcome().compareTo(Outcome.EXPECTED_ONLY) <= 0
                        || (lateFrees == LateFreePolicy.REPORT
                                && verdict.outcome() == Outcome.FREED_LATE
                                && isClean(verdict));
            case NONE -> true;
        };
    }

    private boolean isClean(LeakVerdict verdict) {
        return isLeakFree(verdict)
                && verdict.hasBalancedReports()
                && verdict.meetsExpectations()
                && verdict.unexpectedOverwrites().isEmpty();
    }

    private boolean isLeakFree(LeakVerdict verdict) {
        return lateFrees == LateFreePolicy.REPORT
                ? verdict.sum().leaked() == 0
                        && verdict.inconclusiveReasonTexts().isEmpty()
                : verdict.isLeakFree();
    }

    /** Returns how a check is handled after what a test threw, if it threw. */
    public IncompleteTestPolicy after(Optional<Throwable> thrown) {
        return thrown.map(error -> error instanceof TestAbortedException ? onAbort : onFailure)
                .orElse(IncompleteTestPolicy.ATTACH);
    }

    /** Returns whether a check waits for late frees after what a test threw, if it threw. */
    public boolean waits(Optional<Throwable> thrown) {
        return !grace.isZero() && check != AllocationCheck.NONE && after(thrown) != IncompleteTestPolicy.SKIP;
    }

    /** Returns these policies for a tracker with another origin capture. */
    public CheckPolicy withOrigins(OriginCapture other) {
        return new CheckPolicy(check, other, onFailure, onAbort, lateFrees, grace);
    }

    /** Returns these policies with a wait for late frees of at least some time. */
    public CheckPolicy waitingAtLeast(Duration least) {
        return grace.compareTo(least) >= 0
                ? this
                : new CheckPolicy(check, origins, onFailure, onAbort, lateFrees, least);
    }

    /** Returns these policies for a test that is judged elsewhere. */
    public CheckPolicy unchecked() {
        return new CheckPolicy(AllocationCheck.NONE, origins, onFailure, onAbort, lateFrees, grace);
    }
}
