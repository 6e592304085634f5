package dev.meshguard.junit.internal.pages;

import dev.meshguard.report.VerdictReport;
import dev.meshguard.verdict.baseline.Baseline;
import dev.meshguard.verdict.budget.BudgetVerdict;
import dev.meshguard.verdict.growth.Accumulation;
import java.util.Optional;

/**
 * The contents of a page.
 *
 * @param report the verdict with its notes
 * @param text the text of the terminal
 * @param known the known leaks, if there is a baseline
 * @param budgets the budget verdict, if there are budgets
 * @param growth the growth over rounds, if it was judged
 */
public record PageParts(
        VerdictReport report,
        String text,
        Optional<Baseline> known,
        Optional<BudgetVerdict> budgets,
        Optional<Accumulation> growth) {}
