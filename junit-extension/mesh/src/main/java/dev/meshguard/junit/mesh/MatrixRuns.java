package dev.meshguard.junit.mesh;

import dev.meshguard.event.Quantities;
import dev.meshguard.junit.internal.template.TemplateAnnotation;
import dev.meshguard.mesh.fault.FaultPlan;
import dev.meshguard.mesh.runtime.RuntimeDefect;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The cells of one matrix, row by row; used by one thread. */
final class MatrixRuns {

    /** The key of report entries. */
    private static final String ENTRY = "meshguard";

    private final TemplateAnnotation<FaultMatrix> use;
    private final List<MatrixCell> cells = new ArrayList<>();
    private int begun;

    MatrixRuns(TemplateAnnotation<FaultMatrix> use) {
        this.use = use;
        List<FaultPlan> plans = plans();
        Set<RuntimeDefect> defects = defects();
        if (plans.size() == 1 && defects.isEmpty()) {
            throw use.rejected("a matrix of one cell", "Give plans, defects or both.");
        }
        for (FaultPlan plan : plans) {
            cells.add(new MatrixCell(use, plan, Optional.empty()));
            defects.forEach(defect -> cells.add(new MatrixCell(use, plan, Optional.of(defect))));
        }
    }

    /** Returns the next cell; after the last one the grid is published. */
    Optional<MatrixCell> next() {
        if (begun < cells.size()) {
            return Optional.of(cells.get(begun++));
        }
        use.context().publishReportEntry(ENTRY, new MatrixGrid(use.name(), cells).text());
        return Optional.empty();
    }

    /** The row without faults comes first: its failures are not caused by a fault. */
    private List<FaultPlan> plans() {
        List<FaultPlan> plans = new ArrayList<>(List.of(FaultPlan.none()));
        for (String text : use.annotation().plans()) {
            FaultPlan plan = parsed(text);
            if (plan.isEmpty()) {
                throw rejected(text, "A run without faults is the first anyway: leave it out.");
            }
            if (plans.contains(plan)) {
                throw rejected(text, "It is there a second time: leave it out.");
            }
            plans.add(plan);
        }
        return plans;
    }

    private FaultPlan parsed(String text) {
        try {
            return FaultPlan.parse(text);
        } catch (IllegalArgumentException notAPlan) {
            throw rejected(text, notAPlan.getMessage() + ".");
        }
    }

    private Set<RuntimeDefect> defects() {
        Set<RuntimeDefect> defects = EnumSet.noneOf(RuntimeDefect.class);
        for (RuntimeDefect defect : use.annotation().defects()) {
            if (!defects.add(defect)) {
                throw use.rejected("defects = " + defect, "It is there a second time: leave it out.");
            }
        }
        return defects;
    }

    private RuntimeException rejected(String plan, String allowed) {
        return use.rejected("plans = " + Quantities.quoted(plan), allowed);
    }
}
