package dev.meshguard.junit;

import dev.meshguard.tracker.OriginCapture;
import dev.meshguard.verdict.LeakVerdict;
import java.time.Duration;
import java.util.Optional;
import org.opentest4j.TestAbortedException;

/**
 * How memory is checked, decided.
 *
 * @param check what has to hold
 * @param origins whose stack is taken
 * @param onFailure what becomes of the check of a test that failed
 * @param onAbort what becomes of the check of a test that was aborted
 * @param lateFrees what becomes of what was freed after close began
 * @param grace how long late frees are waited for at most
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

    /** Returns whether a verdict is as the check asks for. */
    boolean holdFor(LeakVerdict verdict) {
        return check.holdsFor(verdict, lateFrees);
    }

    /** Returns what becomes of a check after what a test threw, if it did. */
    IncompleteTestPolicy after(Optional<Throwable> thrown) {
        return thrown.map(error -> error instanceof TestAbortedException ? onAbort : onFailure)
                .orElse(IncompleteTestPolicy.ATTACH);
    }

    /** Returns whether a check waits for late frees after what a test threw, if it did. */
    boolean waits(Optional<Throwable> thrown) {
        return !grace.isZero() && check != AllocationCheck.NONE && after(thrown) != IncompleteTestPolicy.SKIP;
    }

    /** Returns these policies for a tracker that takes other stacks. */
    CheckPolicy withOrigins(OriginCapture other) {
        return new CheckPolicy(check, other, onFailure, onAbort, lateFrees, grace);
    }

    /** Returns these policies for a test that somebody else judges. */
    CheckPolicy unchecked() {
        return new CheckPolicy(AllocationCheck.NONE, origins, onFailure, onAbort, lateFrees, grace);
    }
}
