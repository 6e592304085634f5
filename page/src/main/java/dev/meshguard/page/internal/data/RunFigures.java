package dev.meshguard.page.internal.data;

import dev.meshguard.report.VerdictReport;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.budget.BudgetVerdict;
import dev.meshguard.verdict.growth.Accumulation;
import java.util.List;
import java.util.Optional;

/**
 * The run that a page shows: its title, the report of its verdict, its budgets and its growth.
 *
 * @param title the title of the run
 * @param report the report of the verdict
 * @param text the text of the terminal, if it is more than the report
 * @param budgets the budget verdict, if there are budgets
 * @param growth the growth over rounds, if it was judged
 */
public record RunFigures(
        String title,
        VerdictReport report,
        Optional<String> text,
        Optional<BudgetVerdict> budgets,
        Optional<Accumulation> growth) {

    /** Returns the verdict. */
    public LeakVerdict verdict() {
        return report.verdict();
    }

    /** Returns the text of the page: exactly that of the terminal. */
    public String description() {
        return text.orElseGet(report::text);
    }

    /** Returns the descriptions of the expectation entries that matched. */
    public List<String> expectationsUsed() {
        return verdict().expectations().stream()
                .filter(result -> result.matchedBuffers() > 0)
                .map(result -> result.expectation().toString())
                .toList();
    }
}
