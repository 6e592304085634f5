package dev.meshguard.junit.internal.config;

import dev.meshguard.junit.internal.GraceTimer;
import dev.meshguard.junit.source.SourceSettings;
import dev.meshguard.verdict.budget.BudgetSpec;
import dev.meshguard.verdict.expectation.ExpectedBuffers;
import java.util.List;

/**
 * The settings of one {@code MeshGuardExtension} that the builder was given, instead of those of annotations.
 *
 * @param builder the class that built the extension, usually the one with the field
 * @param sources the settings of the sources; empty if others decide
 * @param expected the buffers that it expects, each with its location
 * @param budgets the budgets
 * @param timer the clock for the wait for late frees
 */
public record ExtensionSettings(
        Class<?> builder,
        List<SourceSettings> sources,
        ExpectedBuffers expected,
        List<BudgetSpec> budgets,
        GraceTimer timer) {

    /** Creates settings with their own copies of the lists. */
    public ExtensionSettings {
        sources = List.copyOf(sources);
        expected = ExpectationAnnotations.inField(expected, builder);
        budgets = List.copyOf(budgets);
    }
}
