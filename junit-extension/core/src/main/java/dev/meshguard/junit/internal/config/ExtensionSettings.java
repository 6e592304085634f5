package dev.meshguard.junit.internal.config;

import dev.meshguard.junit.internal.GraceTimer;
import dev.meshguard.junit.source.SourceSettings;
import dev.meshguard.verdict.budget.BudgetSpec;
import dev.meshguard.verdict.expectation.ExpectedBuffers;
import java.util.List;

/**
 * The settings of one extension, which code has built or which sets nothing.
 *
 * <p>Two are equal only if they are the same, because each belongs to an extension of its own.
 */
public final class ExtensionSettings {

    private final boolean isBuilt;
    private final List<SourceSettings> sources;
    private final ExpectedBuffers expected;
    private final List<BudgetSpec> budgets;
    private final GraceTimer timer;

    /**
     * Creates settings.
     *
     * @param isBuilt whether code has built the extension
     * @param sources the settings of the sources; empty if others decide
     */
    public ExtensionSettings(
            boolean isBuilt,
            List<SourceSettings> sources,
            ExpectedBuffers expected,
            List<BudgetSpec> budgets,
            GraceTimer timer) {
        this.isBuilt = isBuilt;
        this.sources = List.copyOf(sources);
        this.expected = ExpectationAnnotations.inField(expected);
        this.budgets = List.copyOf(budgets);
        this.timer = timer;
    }

    boolean isBuilt() {
        return isBuilt;
    }

    List<SourceSettings> sources() {
        return sources;
    }

    ExpectedBuffers expected() {
        return expected;
    }

    List<BudgetSpec> budgets() {
        return budgets;
    }

    GraceTimer timer() {
        return timer;
    }
}
