package dev.meshguard.junit.internal.pages;

import dev.meshguard.report.VerdictReport;
import dev.meshguard.verdict.baseline.Baseline;
import dev.meshguard.verdict.budget.BudgetVerdict;
import dev.meshguard.verdict.growth.Accumulation;
import java.util.Optional;

/**
 * What a page is made of.
 *
 * @param report the verdict and what there is to say of it
 * @param text what the terminal says
 * @param known the known leaks, if a baseline is kept
 * @param budgets whether budgets were kept to, if there are any
 * @param growth what rounds left, if that was judged
 */
public record PageParts(
        VerdictReport report,
        String text,
        Optional<Baseline> known,
        Optional<BudgetVerdict> budgets,
        Optional<Accumulation> growth) {}
