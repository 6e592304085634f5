package dev.meshguard.junit.internal.check;

import dev.meshguard.assertions.BudgetAssertionError;
import dev.meshguard.event.Origin;
import dev.meshguard.event.shortage.FreeSpace;
import dev.meshguard.junit.internal.session.TrackedTest;
import dev.meshguard.junit.internal.session.TrackingSession;
import dev.meshguard.report.BudgetReport;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.budget.BudgetMetric;
import dev.meshguard.verdict.budget.BudgetSpec;
import dev.meshguard.verdict.budget.BudgetVerdict;
import dev.meshguard.verdict.budget.BudgetViolation;
import dev.meshguard.verdict.budget.TopConsumer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Checks the memory budgets of one test against its verdict and the free space that allocators reported before the
 * close, and creates the failure.
 *
 * <p>Used by one thread at a time.
 */
final class BudgetCheck {

    private List<BudgetSpec> budgets;
    private List<FreeSpace> freeSpace = List.of();

    BudgetCheck(List<BudgetSpec> budgets) {
        this.budgets = budgets;
    }

    boolean isEmpty() {
        return budgets.isEmpty();
    }

    /** Leaves the limits of free space to the dynamic tests of a factory, which all have its budgets. */
    void leaveFreeSpace() {
        budgets = budgets.stream()
                .map(BudgetCheck::withoutFreeSpace)
                .filter(budget -> !budget.isWithoutLimit())
                .toList();
    }

    private static BudgetSpec withoutFreeSpace(BudgetSpec budget) {
        Map<BudgetMetric, Long> limits = new HashMap<>(budget.limits());
        limits.remove(BudgetMetric.LARGEST_FREE_BLOCK);
        return new BudgetSpec(budget.type(), budget.device(), limits);
    }

    /** Queries the allocators if any budget needs that, unless they answered before. */
    void read(TrackingSession session) {
        if (freeSpace.isEmpty() && budgets.stream().anyMatch(BudgetSpec::needsAllocator)) {
            freeSpace = session.freeSpace();
        }
    }

    /** Returns whether an allocator has answered, so that there is something to judge even if the test has allocated nothing. */
    boolean hasRead() {
        return !freeSpace.isEmpty();
    }

    /** Returns the verdict on the budgets, if there are any. */
    Optional<BudgetVerdict> verdict(LeakVerdict memory) {
        return budgets.isEmpty() ? Optional.empty() : Optional.of(BudgetVerdict.of(memory, budgets, freeSpace));
    }

    /** Returns whether the verdict has a violation that the test has not reported itself. */
    static boolean isNew(BudgetVerdict verdict, TrackedTest test) {
        List<BudgetViolation> reported = new ThrownErrors(test.thrown())
                .all(BudgetAssertionError.class)
                .flatMap(error -> error.verdict().violations().stream())
                .toList();
        return !reported.containsAll(verdict.violations());
    }

    /**
     * Returns the failure of a test that exceeded its budgets.
     *
     * @param page the page that shows it, if there is one
     */
    static BudgetAssertionError failure(BudgetVerdict verdict, TrackedTest test, Optional<String> page) {
        BudgetReport report = new BudgetReport(verdict, Optional.of(test.reproduction()), page);
        BudgetAssertionError failure = BudgetAssertionError.of(report.text(), verdict);
        failure.setStackTrace(callSiteOf(verdict).orElseGet(test::stack));
        return failure;
    }

    /** The reader looks for the line that allocated the most. */
    private static Optional<StackTraceElement[]> callSiteOf(BudgetVerdict verdict) {
        return verdict.violations().stream()
                .filter(BudgetViolation.Exceeded.class::isInstance)
                .flatMap(violation -> ((BudgetViolation.Exceeded) violation).topConsumers().stream())
                .map(TopConsumer::origin)
                .flatMap(Optional::stream)
                .map(Origin::frames)
                .findFirst()
                .map(frames -> frames.toArray(StackTraceElement[]::new));
    }
}
