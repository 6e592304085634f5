package dev.meshguard.junit;

import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Outcome;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The condition that must hold when a test ends, named after the methods of {@code LeakAssertions}.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public enum AllocationCheck {
    /**
     * All memory was freed in time, and the reports add up: {@code noLeaks()} and {@code hasBalancedReports()}. The
     * default.
     */
    CLEAN {
        @Override
        boolean holdsFor(LeakVerdict verdict, LateFrees late) {
            return isLeakFree(verdict, late) && verdict.hasBalancedReports() && verdict.meetsExpectations();
        }
    },
    /** All memory was freed in time, even if the reported counts do not add up: {@code noLeaks()}. */
    NO_LEAKS {
        @Override
        boolean holdsFor(LeakVerdict verdict, LateFrees late) {
            return isLeakFree(verdict, late) && verdict.meetsExpectations();
        }
    },
    /** Exactly the expected system buffers remain by the reported counts: {@code onlyExpectedSystemBuffers()}. */
    ONLY_EXPECTED_SYSTEM_BUFFERS {
        @Override
        boolean holdsFor(LeakVerdict verdict, LateFrees late) {
            boolean isLateOnly = late == LateFrees.REPORT
                    && verdict.outcome() == Outcome.FREED_LATE
                    && CLEAN.holdsFor(verdict, late);
            return isLateOnly || verdict.outcome().compareTo(Outcome.EXPECTED_ONLY) <= 0;
        }
    },
    /** Nothing is checked: the test makes its own assertions. The extension still closes what the test left open. */
    NONE {
        @Override
        boolean holdsFor(LeakVerdict verdict, LateFrees late) {
            return true;
        }
    };

    /** Returns whether a verdict satisfies this check, excluding late frees if these are only reported. */
    abstract boolean holdsFor(LeakVerdict verdict, LateFrees late);

    private static boolean isLeakFree(LeakVerdict verdict, LateFrees late) {
        return late == LateFrees.FAIL
                ? verdict.isLeakFree()
                : verdict.sum().leaked() == 0
                        && verdict.inconclusiveReasonTexts().isEmpty();
    }
}
