package dev.meshguard.junit.internal.check;

import dev.meshguard.junit.AllocationCheck;
import dev.meshguard.junit.internal.config.CheckPolicy;
import dev.meshguard.junit.internal.session.TrackedTest;
import dev.meshguard.junit.internal.summary.RunSummaryCollector;
import dev.meshguard.verdict.expectation.Expectation;
import dev.meshguard.verdict.expectation.ExpectedBuffers;
import java.util.Optional;

/**
 * The rules of the check of one test, class or run: its settings, expected buffers, budgets, and the entries that it shares with other
 * checks of its method.
 *
 * @param test the responsible test, class or run
 * @param policies the condition that must hold
 * @param expected the expected buffers
 * @param budgets the budgets
 * @param requiredMatches the combined expectations of all checks of its method, if there are several
 */
record CheckTerms(
        TrackedTest test,
        CheckPolicy policies,
        ExpectedBuffers expected,
        BudgetCheck budgets,
        Optional<RequiredMatches> requiredMatches) {

    /** Returns whether the memory is checked at all. */
    boolean isChecked() {
        return policies.check() != AllocationCheck.NONE;
    }

    /**
     * Returns the expected buffers of a test with one check. Entries that require a match apply only if no other check of the
     * method may match them, the test completed, and its memory is checked.
     */
    ExpectedBuffers expectedByOneCheck() {
        boolean isRequired = requiredMatches.isEmpty() && isChecked() && test.hasCompleted();
        return isRequired ? expected : expected.forSeveralChecks();
    }

    /** Returns whether the check of a test with one check fails if nothing survives. */
    boolean requiresSurvivors() {
        return expectedByOneCheck().entries().stream().anyMatch(Expectation::isBrokenByNone);
    }

    /** Returns these terms for a test with several checks: one of them has to find what an entry requires. */
    CheckTerms forSeveralChecks(RunSummaryCollector summary) {
        return requiredMatches.isPresent()
                ? this
                : new CheckTerms(
                        test,
                        policies,
                        expected,
                        budgets,
                        Optional.of(new RequiredMatches(test, expectedByOneCheck(), summary)));
    }

    /** Marks the survivors of a test that threw or is disabled as unknown to the other checks of its method. */
    void giveUpUnlessCompleted() {
        if (!test.hasCompleted()) {
            requiredMatches.ifPresent(RequiredMatches::giveUp);
        }
    }
}
