package dev.meshguard.junit.mesh;

import dev.meshguard.junit.internal.template.OutcomeWatcher;
import dev.meshguard.junit.internal.template.SourceRuntime;
import dev.meshguard.junit.internal.template.TemplateAnnotation;
import dev.meshguard.junit.internal.template.TemplateInvocation;
import dev.meshguard.junit.source.SourceSettings;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.fault.FaultPlan;
import dev.meshguard.mesh.runtime.RuntimeDefect;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Outcome;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.Extension;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContext;
import org.opentest4j.AssertionFailedError;

/**
 * One invocation of a {@link FaultMatrix} test.
 *
 * <p>Used by one thread at a time.
 */
final class MatrixCell implements TestTemplateInvocationContext, TemplateInvocation {

    private static final String NO_FAULT = "no fault";
    private static final String NO_DEFECT = "no defect";
    private static final String BEGIN_OF_PLAN = "FaultPlan.none().";

    private final TemplateAnnotation<FaultMatrix> use;
    private final FaultPlan plan;
    private final Optional<RuntimeDefect> defect;
    private final OutcomeWatcher watcher = new OutcomeWatcher();
    private @Nullable SourceRuntime runtime;
    private @Nullable Outcome outcome;

    MatrixCell(TemplateAnnotation<FaultMatrix> use, FaultPlan plan, Optional<RuntimeDefect> defect) {
        this.use = use;
        this.plan = plan;
        this.defect = defect;
    }

    /** Returns the plan as written in the annotation. */
    String row() {
        String text = plan.toString();
        int seeded = text.indexOf(" = ");
        if (plan.isEmpty()) {
            return NO_FAULT;
        }
        return seeded < 0 ? text.substring(BEGIN_OF_PLAN.length()) : text.substring(0, seeded);
    }

    String column() {
        return defect.map(RuntimeDefect::name).orElse(NO_DEFECT);
    }

    /** Returns the outcome at the end, if anything was tracked. */
    Optional<Outcome> outcome() {
        return Optional.ofNullable(outcome);
    }

    OutcomeWatcher watcher() {
        return watcher;
    }

    @Override
    public String getDisplayName(int invocationIndex) {
        if (plan.isEmpty()) {
            return defect.map(RuntimeDefect::name).orElse(NO_FAULT);
        }
        return row() + defect.map(name -> " with " + name).orElse("");
    }

    @Override
    public List<Extension> getAdditionalExtensions() {
        return List.of(new MatrixCellExtension(plan), watcher);
    }

    @Override
    public String location() {
        return use.location();
    }

    @Override
    public List<SourceSettings> configure(List<SourceSettings> sources) {
        return FakeMeshSettings.changed(
                sources, mesh -> mesh.with(plan, defect.map(Set::of).orElse(Set.of())), location());
    }

    @Override
    public List<String> notes() {
        return isFaultless() ? List.of() : List.of("injected runtime defect: " + getDisplayName(0));
    }

    @Override
    public void begins(SourceRuntime newRuntime) {
        runtime = newRuntime;
    }

    @Override
    public void judged(LeakVerdict verdict) {
        outcome = verdict.outcome();
    }

    @Override
    public boolean accepts(LeakVerdict verdict) {
        return !isFaultless() && Arrays.asList(use.annotation().accepted()).contains(verdict.outcome());
    }

    /** A failure before the first effect of the plan is explanation enough. */
    @Override
    public void ended(ExtensionContext context) {
        SourceRuntime given = runtime;
        boolean isTried = plan.isEmpty()
                || given == null
                || context.getExecutionException().isPresent()
                || !given.resolve(Ttnn.class).outstandingFaults().containsAll(plan.faults());
        if (!isTried) {
            throw new AssertionFailedError(
                    location() + ": nothing of " + row()
                            + " happened in this run, so it shows nothing. Choose numbers that the test reaches, or leave the plan out.");
        }
    }

    private boolean isFaultless() {
        return plan.isEmpty() && defect.isEmpty();
    }
}
