package dev.meshguard.junit;

import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Outcome;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * What has to hold when a test is over, in the words of {@code MeshAssertions}.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public enum AllocationCheck {
    /** All memory was given back, and the reports add up: {@code noLeaks()} and {@code hasBalancedReports()}. The default. */
    CLEAN {
        @Override
        boolean holdsFor(LeakVerdict verdict) {
            return verdict.isLeakFree() && verdict.hasBalancedReports() && verdict.meetsExpectations();
        }
    },
    /** All memory was given back, whatever the books say: {@code noLeaks()}. */
    NO_LEAKS {
        @Override
        boolean holdsFor(LeakVerdict verdict) {
            return verdict.isLeakFree() && verdict.meetsExpectations();
        }
    },
    /** The books hold exactly what may outlive a close: {@code onlyExpectedSystemBuffers()}. */
    ONLY_EXPECTED_SYSTEM_BUFFERS {
        @Override
        boolean holdsFor(LeakVerdict verdict) {
            return verdict.outcome().compareTo(Outcome.EXPECTED_ONLY) <= 0;
        }
    },
    /** Nothing: the test asserts for itself. What it left open is closed all the same. */
    NONE {
        @Override
        boolean holdsFor(LeakVerdict verdict) {
            return true;
        }
    };

    abstract boolean holdsFor(LeakVerdict verdict);
}
