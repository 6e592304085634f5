package dev.meshguard.junit.internal.config;

import dev.meshguard.junit.internal.GraceTimer;
import dev.meshguard.junit.source.SourceSettings;
import dev.meshguard.verdict.budget.BudgetSpec;
import dev.meshguard.verdict.expectation.ExpectedBuffers;
import java.util.List;
import java.util.Optional;

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
     * @param builder the class that built the extension; empty if the engine made it
     * @param sources the settings of the sources; empty if others decide
     */
    public ExtensionSettings(
            Optional<Class<?>> builder,
            List<SourceSettings> sources,
            ExpectedBuffers expected,
            List<BudgetSpec> budgets,
            GraceTimer timer) {
        this.isBuilt = builder.isPresent();
        this.sources = List.copyOf(sources);
        this.expected = builder.map(type -> ExpectationAnnotations.inField(expected, type))
                .orElseGet(ExpectedBuffers::none);
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
