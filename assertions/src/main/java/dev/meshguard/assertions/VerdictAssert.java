package dev.meshguard.assertions;

import static dev.meshguard.assertions.error.ShouldHaveOutcome.shouldHaveOutcome;

import dev.meshguard.history.AllocationHistory;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Outcome;
import dev.meshguard.verdict.expectation.ExpectationResult;
import dev.meshguard.verdict.expectation.ExpectedBuffers;
import java.util.List;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Assertions about a verdict.
 *
 * <p>{@linkplain #allowing(ExpectedBuffers) Expected} buffers are added to those of the verdict, and its history is
 * judged again.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class VerdictAssert extends AbstractLeakAssert<VerdictAssert, LeakVerdict> {

    VerdictAssert(LeakVerdict actual, FailureSink sink) {
        super(actual, VerdictAssert.class, sink);
    }

    /**
     * Verifies the outcome.
     *
     * <pre>{@code
     * LeakVerdict verdict = LeakCheck.create().examine(AllocationTracker.create().history());
     * assertThat(verdict).hasOutcome(Outcome.LEAK_FREE); // succeeds
     * assertThat(verdict).hasOutcome(Outcome.LEAKED); // fails
     * }</pre>
     *
     * @throws LeakAssertionError if the outcome differs
     */
    public VerdictAssert hasOutcome(Outcome outcome) {
        LeakVerdict verdict = verdict();
        if (verdict.outcome() != outcome) {
            return failed(shouldHaveOutcome(verdict, outcome), verdict);
        }
        return myself;
    }

    @Override
    AllocationHistory history() {
        isNotNull();
        return actual.history();
    }

    @Override
    LeakVerdict verdict(ExpectedBuffers more) {
        isNotNull();
        if (more.entries().isEmpty()) {
            return actual;
        }
        List<ExpectationResult> given = actual.expectations();
        ExpectedBuffers before = new ExpectedBuffers(
                given.stream().map(ExpectationResult::expectation).toList());
        return LeakCheck.create().expecting(before).expecting(more).examine(actual.history());
    }
}
