package dev.meshguard.assertions;

import static dev.meshguard.assertions.error.ShouldHaveOneSurvivor.shouldHaveOneSurvivor;
import static dev.meshguard.assertions.error.ShouldHaveOutcome.shouldHaveOutcome;

import dev.meshguard.tracker.history.AllocationHistory;
import dev.meshguard.verdict.ExpectedBuffers;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.LeakVerdict.ExpectationResult;
import dev.meshguard.verdict.Outcome;
import dev.meshguard.verdict.Survivor;
import java.util.List;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Assertions about a verdict.
 *
 * <p>What is {@linkplain #allowing(ExpectedBuffers) allowed} here is added to what the verdict was given with, and its
 * history judged anew.
 *
 * <p>Not final, because AssertJ makes soft assertions of it by a subclass.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public non-sealed class VerdictAssert extends AbstractLeakAssert<VerdictAssert, LeakVerdict> {

    /** Called by AssertJ; use {@link #assertThat(LeakVerdict)}. */
    protected VerdictAssert(LeakVerdict actual) {
        super(actual, VerdictAssert.class);
    }

    /** Starts assertions about a verdict. */
    public static VerdictAssert assertThat(LeakVerdict actual) {
        return new VerdictAssert(actual);
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
     * @throws LeakAssertionError if it is another one
     */
    public VerdictAssert hasOutcome(Outcome outcome) {
        LeakVerdict verdict = verdict();
        if (verdict.outcome() != outcome) {
            throw failure(shouldHaveOutcome(verdict, outcome), verdict);
        }
        return myself;
    }

    /**
     * Verifies that exactly one buffer is still in the books, and goes on with it.
     *
     * <pre>{@code
     * assertThat(verdict).hasOnlySurvivor().hasCause(Cause.CACHED); // succeeds with one cached binary left
     * assertThat(verdict).hasOnlySurvivor(); // fails with none or two
     * }</pre>
     *
     * @throws LeakAssertionError if there is none, or more than one
     */
    public SurvivorAssert hasOnlySurvivor() {
        LeakVerdict verdict = verdict();
        if (verdict.survivors().size() != 1) {
            throw failure(shouldHaveOneSurvivor(verdict), verdict);
        }
        Survivor only = verdict.survivors().get(0);
        return navigation.to(new SurvivorAssert(only), SurvivorAssert.class, Survivor.class, only);
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
