package dev.meshguard.assertions.error;

import static org.assertj.core.util.Strings.escapePercent;

import dev.meshguard.report.BudgetReport;
import dev.meshguard.verdict.budget.BudgetVerdict;
import org.assertj.core.error.BasicErrorMessageFactory;

/**
 * The failure message of an assertion that memory stays within a budget: only the text about the exceeded budget.
 *
 * <p>It starts on the first line, which the summary of a build shows.
 */
public final class ShouldStayWithinBudget extends BasicErrorMessageFactory {

    private ShouldStayWithinBudget(BudgetVerdict verdict) {
        super(escapePercent(BudgetReport.of(verdict).text()));
    }

    /** Returns the message. */
    public static ShouldStayWithinBudget shouldStayWithinBudget(BudgetVerdict verdict) {
        return new ShouldStayWithinBudget(verdict);
    }
}
