package dev.meshguard.junit;

import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Outcome;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * What has to hold when a test is over, in the words of {@code LeakAssertions}.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public enum AllocationCheck {
    /** All memory was given back in time, and the reports add up: {@code noLeaks()} and {@code hasBalancedReports()}. The default. */
    CLEAN {
        @Override
        boolean holdsFor(LeakVerdict verdict, LateFrees late) {
            return isLeakFree(verdict, late) && verdict.hasBalancedReports() && verdict.meetsExpectations();
        }
    },
    /** All memory was given back in time, whatever the books say: {@code noLeaks()}. */
    NO_LEAKS {
        @Override
        boolean holdsFor(LeakVerdict verdict, LateFrees late) {
            return isLeakFree(verdict, late) && verdict.meetsExpectations();
        }
    },
    /** The books hold exactly what may outlive a close: {@code onlyExpectedSystemBuffers()}. */
    ONLY_EXPECTED_SYSTEM_BUFFERS {
        @Override
        boolean holdsFor(LeakVerdict verdict, LateFrees late) {
            boolean isLateOnly = late == LateFrees.REPORT
                    && verdict.outcome() == Outcome.FREED_LATE
                    && CLEAN.holdsFor(verdict, late);
            return isLateOnly || verdict.outcome().compareTo(Outcome.EXPECTED_ONLY) <= 0;
        }
    },
    /** Nothing: the test asserts for itself. What it left open is closed all the same. */
    NONE {
        @Override
        boolean holdsFor(LeakVerdict verdict, LateFrees late) {
            return true;
        }
    };

    /** Returns whether a verdict is as it has to be, apart from what was freed late if that is only reported. */
    abstract boolean holdsFor(LeakVerdict verdict, LateFrees late);

    private static boolean isLeakFree(LeakVerdict verdict, LateFrees late) {
        return late == LateFrees.FAIL
                ? verdict.isLeakFree()
                : verdict.sum().leaked() == 0
                        && verdict.inconclusiveReasonTexts().isEmpty();
    }
}
