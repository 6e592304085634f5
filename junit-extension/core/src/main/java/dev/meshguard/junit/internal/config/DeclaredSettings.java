package dev.meshguard.junit.internal.config;

import dev.meshguard.junit.internal.GraceTimer;
import dev.meshguard.junit.internal.Lazy;
import dev.meshguard.junit.internal.run.SharedRunState;
import dev.meshguard.junit.internal.template.TemplateInvocation;
import dev.meshguard.junit.source.SourceSettings;
import dev.meshguard.verdict.budget.BudgetSpec;
import dev.meshguard.verdict.expectation.ExpectedBuffers;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * The settings that annotations, static fields and parameters declare for a method or class, each looked up once.
 *
 * <p>The look-up is a large part of the cost of a test, and all invocations of a method have the same result. Errors
 * are not cached, so each test reports them.
 *
 * <p>Safe for use by several threads.
 */
public final class DeclaredSettings {

    private final ExtensionContext root;
    private final List<TestElement> elements;
    private final Supplier<List<ExtensionSettings>> inFields;
    private final Lazy<List<ExtensionSettings>> extensions = new Lazy<>();
    private final Lazy<TrackingSettings> tracking = new Lazy<>();
    private final Lazy<ExpectedBuffers> expected = new Lazy<>();
    private final Lazy<List<BudgetSpec>> budgets = new Lazy<>();

    /** The state of the execution for which this is cached. */
    public final Lazy<SharedRunState> run = new Lazy<>();

    /**
     * Creates the settings of a test, a class or the run.
     *
     * @param root the context of the engine: that of the test would outlive it here
     * @param elements the method and the classes, the nearest first
     * @param inFields looks up the settings of the extensions that serve it, the nearest first
     */
    DeclaredSettings(ExtensionContext root, List<TestElement> elements, Supplier<List<ExtensionSettings>> inFields) {
        this.root = root;
        this.elements = elements;
        this.inFields = inFields;
    }

    /** Returns the settings of the test, also as its invocation of a template requires. */
    public TrackingSettings tracking(Optional<TemplateInvocation> template) {
        TrackingSettings asked = tracking.computeIfAbsent(this::readTracking);
        return template.isPresent() ? asked.in(template.get()) : asked;
    }

    private TrackingSettings readTracking() {
        Sources sources = TestConfiguration.sources(root);
        List<SourceSettings> selected = sources.annotated(elements)
                .map(List::of)
                .or(() -> extensions().stream()
                        .map(ExtensionSettings::sources)
                        .filter(ofField -> !ofField.isEmpty())
                        .findFirst())
                .orElseGet(sources::defaultSettings);
        return TrackingSettings.of(
                sources.withAdditional(selected, elements), elements, TestConfiguration.parameters(root));
    }

    /** Returns the policies of the test or class, or of the run. */
    public CheckPolicy policies() {
        return tracking(Optional.empty()).policies();
    }

    /** Returns the buffers that annotations and extensions in fields expect. */
    public ExpectedBuffers expected() {
        return expected.computeIfAbsent(() -> {
            ExpectedBuffers all = ExpectationAnnotations.expected(elements);
            for (ExtensionSettings settings : extensions()) {
                all = all.and(settings.expected());
            }
            return all;
        });
    }

    /** Returns the budgets of the test or class. */
    public List<BudgetSpec> budgets() {
        return budgets.computeIfAbsent(() -> BudgetAnnotations.budgets(
                elements,
                extensions().stream()
                        .flatMap(settings -> settings.budgets().stream())
                        .toList()));
    }

    /** Returns the clock for waits. */
    public GraceTimer timer() {
        return extensions().stream().map(ExtensionSettings::timer).findFirst().orElseGet(GraceTimer::ofMachine);
    }

    private List<ExtensionSettings> extensions() {
        return extensions.computeIfAbsent(inFields);
    }
}
