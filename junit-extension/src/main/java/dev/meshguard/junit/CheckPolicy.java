package dev.meshguard.junit;

import dev.meshguard.tracker.OriginCapture;
import dev.meshguard.verdict.LeakVerdict;
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
record CheckPolicy(
        AllocationCheck check,
        OriginCapture origins,
        IncompleteTestPolicy onFailure,
        IncompleteTestPolicy onAbort,
        LateFrees lateFrees,
        Duration grace) {

    static final CheckPolicy DEFAULTS = new CheckPolicy(
            AllocationCheck.CLEAN,
            OriginCapture.ALLOCATIONS,
            IncompleteTestPolicy.ATTACH,
            IncompleteTestPolicy.ATTACH,
            LateFrees.FAIL,
            Duration.ZERO);

    /** Returns whether a verdict satisfies the check. */
    boolean holdFor(LeakVerdict verdict) {
        return check.holdsFor(verdict, lateFrees);
    }

    /** Returns how a check is handled after what a test threw, if it threw. */
    IncompleteTestPolicy after(Optional<Throwable> thrown) {
        return thrown.map(error -> error instanceof TestAbortedException ? onAbort : onFailure)
                .orElse(IncompleteTestPolicy.ATTACH);
    }

    /** Returns whether a check waits for late frees after what a test threw, if it threw. */
    boolean waits(Optional<Throwable> thrown) {
        return !grace.isZero() && check != AllocationCheck.NONE && after(thrown) != IncompleteTestPolicy.SKIP;
    }

    /** Returns these policies for a tracker with another origin capture. */
    CheckPolicy withOrigins(OriginCapture other) {
        return new CheckPolicy(check, other, onFailure, onAbort, lateFrees, grace);
    }

    /** Returns these policies for a test that is judged elsewhere. */
    CheckPolicy unchecked() {
        return new CheckPolicy(AllocationCheck.NONE, origins, onFailure, onAbort, lateFrees, grace);
    }
}
