package dev.meshguard.junit;

import dev.meshguard.assertions.BudgetAssertionError;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.report.BudgetReport;
import dev.meshguard.tracker.AllocatorReading;
import dev.meshguard.tracker.Origin;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.budget.BudgetVerdict;
import dev.meshguard.verdict.budget.Holder;
import dev.meshguard.verdict.budget.MemoryBudget;
import dev.meshguard.verdict.budget.Overrun;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The budgets of one test, and what allocators said while their meshes were open.
 *
 * <p>Guarded by its owner.
 */
final class BudgetCheck {

    private final List<MemoryBudget> budgets;
    private final Set<AllocatorReading> readings = new LinkedHashSet<>();

    BudgetCheck(List<MemoryBudget> budgets) {
        this.budgets = budgets;
    }

    boolean isEmpty() {
        return budgets.isEmpty();
    }

    /** Asks the allocators, if any budget needs that. */
    void read(List<MeshDevice> open) {
        if (!budgets.isEmpty() && budgets.stream().anyMatch(MemoryBudget::needsAllocator)) {
            open.forEach(mesh -> readings.addAll(mesh.allocatorReadings()));
        }
    }

    /** Asks the allocators if nobody did before; a test that ended early has not come to that. */
    void readUnlessRead(List<MeshDevice> open) {
        if (readings.isEmpty()) {
            read(open);
        }
    }

    /** Returns the failure of a test that did not keep to its budgets, unless the test itself has said all of it. */
    Optional<BudgetAssertionError> failure(LeakVerdict memory, GuardedTest test) {
        if (budgets.isEmpty()) {
            return Optional.empty();
        }
        BudgetVerdict verdict = BudgetVerdict.of(memory, budgets, List.copyOf(readings));
        List<Overrun> told = ToldFindings.budgetsBy(test.thrown());
        if (told.containsAll(verdict.overruns())) {
            return Optional.empty();
        }
        BudgetAssertionError failure = BudgetAssertionError.of(
                BudgetReport.of(verdict).reproducedBy(test.reproduction()).text(), verdict);
        failure.setStackTrace(placeOf(verdict).orElseGet(test::stack));
        return Optional.of(failure);
    }

    /** Whoever held the most is what the reader looks for. */
    private static Optional<StackTraceElement[]> placeOf(BudgetVerdict verdict) {
        return verdict.overruns().stream()
                .filter(Overrun.Used.class::isInstance)
                .flatMap(overrun -> ((Overrun.Used) overrun).holders().stream())
                .map(Holder::origin)
                .flatMap(Optional::stream)
                .map(Origin::frames)
                .findFirst()
                .map(frames -> frames.toArray(StackTraceElement[]::new));
    }
}
