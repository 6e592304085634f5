package dev.meshguard.report.page.internal.data;

import dev.meshguard.report.VerdictReport;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.baseline.Baseline;
import dev.meshguard.verdict.budget.BudgetVerdict;
import dev.meshguard.verdict.growth.Accumulation;
import java.util.List;
import java.util.Optional;

/**
 * Everything that the page of a run is made of.
 *
 * @param title what was run
 * @param report the verdict and what there is to say of it
 * @param text what the terminal says, if that is more than the report
 * @param known what was known before, if anybody keeps count of that
 * @param budgets whether budgets were kept to, if there are any
 * @param growth what rounds left behind, if that was judged
 * @param hidesSources whether places in files are left out
 */
public record RunFigures(
        String title,
        VerdictReport report,
        Optional<String> text,
        Optional<Baseline> known,
        Optional<BudgetVerdict> budgets,
        Optional<Accumulation> growth,
        boolean hidesSources) {

    /** Returns what was found. */
    public LeakVerdict verdict() {
        return report.verdict();
    }

    /** Returns what the page says in words: exactly what the terminal says, unless sources are left out. */
    public String description() {
        return discretion().description(text.orElseGet(report::text));
    }

    /** Returns the entries of allowlists that let something stay, in words. */
    public List<String> expectationsUsed() {
        return verdict().expectations().stream()
                .filter(result -> result.matchedBuffers() > 0)
                .map(result -> discretion().description(result.expectation().toString()))
                .toList();
    }

    SourceRedactor discretion() {
        return new SourceRedactor(hidesSources);
    }

    /** Returns the figures as JSON. */
    public String json() {
        return InlineJson.text(new RunJson(this)::write);
    }
}
