package dev.meshguard.report;

import dev.meshguard.verdict.budget.BudgetVerdict;
import dev.meshguard.verdict.growth.Accumulation;
import java.util.Optional;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The report of one check: its verdict, and all that was judged beside it.
 *
 * @param report the verdict with its notes
 * @param text the text of the terminal
 * @param budgets the budget verdict, if there are budgets
 * @param growth the growth over rounds, if it was judged
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record CheckReport(
        VerdictReport report, String text, Optional<BudgetVerdict> budgets, Optional<Accumulation> growth) {}
