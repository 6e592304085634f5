package dev.meshguard.junit.internal.config;

import dev.meshguard.junit.ExpectBuffers;
import dev.meshguard.junit.MemoryBudget;
import dev.meshguard.junit.TrackingLifetime;
import dev.meshguard.junit.internal.ConfigurationErrors;
import dev.meshguard.junit.internal.ConfigurationKey;
import dev.meshguard.junit.internal.GraceTimer;
import dev.meshguard.junit.internal.TestNames;
import dev.meshguard.junit.internal.UnknownParameters;
import dev.meshguard.junit.internal.template.TemplateInvocation;
import dev.meshguard.junit.internal.template.TemplateInvocations;
import dev.meshguard.junit.source.SourceSettings;
import dev.meshguard.verdict.budget.BudgetSpec;
import dev.meshguard.verdict.expectation.ExpectedBuffers;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * The settings of the tests for which an extension is registered.
 *
 * <p>The nearest annotation counts as a whole; attributes that it leaves out have the values of the configuration parameters,
 * else the defaults.
 */
public final class TestConfiguration {

    private final ExtensionSettings own;
    private final Function<Class<?>, List<ExtensionSettings>> inFields;

    /**
     * Creates the configuration of an extension.
     *
     * @param own the settings of the extension itself
     * @param inFields returns the settings of the extensions in static fields of a class
     */
    public TestConfiguration(ExtensionSettings own, Function<Class<?>, List<ExtensionSettings>> inFields) {
        this.own = own;
        this.inFields = inFields;
    }

    /** Returns the cached settings of the location of a context. */
    public ConfigurationCache at(ExtensionContext context) {
        // An extension in an instance field serves one test: a cached value would never be used again.
        return own.isBuilt() ? new ConfigurationCache() : ConfigurationCache.of(own, context);
    }

    /** Returns the sources of the run. */
    public static Sources sources(ExtensionContext context) {
        return ConfigurationCache.ofRun(context, Sources.class, () -> Sources.load(loaderOfTests()));
    }

    /** Returns the settings of a test. */
    public TrackingSettings settingsOf(
            ExtensionContext context, ConfigurationCache declared, Optional<TemplateInvocation> template) {
        TrackingSettings asked = declared.settings.computeIfAbsent(() -> settingsIn(context, declared));
        return template.isPresent() ? asked.in(template.get()) : asked;
    }

    private TrackingSettings settingsOf(ExtensionContext context) {
        return settingsOf(context, at(context), TemplateInvocations.of(context));
    }

    private TrackingSettings settingsIn(ExtensionContext context, ConfigurationCache declared) {
        Sources sources = sources(context);
        List<SourceSettings> selected = sources.annotated(context)
                .map(List::of)
                .or(() -> extensionsFor(context, declared).stream()
                        .map(ExtensionSettings::sources)
                        .filter(ofField -> !ofField.isEmpty())
                        .findFirst())
                .orElseGet(sources::defaultSettings);
        String name = context.getTestClass().map(TestNames::of).orElse("");
        CheckPolicy parameters = parametersOf(context);
        return TrackingSettings.of(selected, TrackingAnnotation.nearest(context, parameters), parameters, name);
    }

    /** Returns the policies of a test or class, or of the run. */
    public CheckPolicy policiesOf(ExtensionContext context) {
        return settingsOf(context, at(context), Optional.empty()).policies();
    }

    private static CheckPolicy parametersOf(ExtensionContext context) {
        return ConfigurationCache.ofRun(
                context,
                CheckPolicy.class,
                () -> convertingErrors(() -> {
                    new UnknownParameters(Arrays.stream(ConfigurationKey.values())
                                    .map(ConfigurationKey::key)
                                    .toList())
                            .reject(loaderOfTests(), System.getProperties(), context::getConfigurationParameter);
                    return CheckPolicy.of(context::getConfigurationParameter);
                }));
    }

    /** The class loader with which JUnit looks for its file. */
    private static ClassLoader loaderOfTests() {
        ClassLoader ofThread = Thread.currentThread().getContextClassLoader();
        return ofThread == null ? ClassLoader.getSystemClassLoader() : ofThread;
    }

    /** Returns what is read, with errors as JUnit reports those of a configuration. */
    public static <T> T convertingErrors(Supplier<T> read) {
        try {
            return read.get();
        } catch (IllegalArgumentException refusal) {
            throw new ExtensionConfigurationException(refusal.getMessage(), refusal);
        }
    }

    /** Returns the buffers that annotations and extensions in fields expect. */
    public ExpectedBuffers expectedIn(ExtensionContext owner, ConfigurationCache declared) {
        return declared.expected.computeIfAbsent(() -> {
            ExpectedBuffers all = ExpectationAnnotations.expected(owner);
            for (ExtensionSettings settings : extensionsFor(owner, declared)) {
                all = all.and(settings.expected());
            }
            return all;
        });
    }

    /** Returns the budgets of a test or class. */
    public List<BudgetSpec> budgetsOf(ExtensionContext owner, ConfigurationCache declared) {
        return declared.budgets.computeIfAbsent(() -> BudgetAnnotations.budgets(
                owner,
                extensionsFor(owner, declared).stream()
                        .flatMap(settings -> settings.budgets().stream())
                        .toList()));
    }

    /** Returns the clock for waits. */
    public GraceTimer timerOf(ExtensionContext owner, ConfigurationCache declared) {
        return extensionsFor(owner, declared).get(0).timer();
    }

    /**
     * Returns the settings of extensions in static fields, the nearest first. They count even if an annotation made the
     * engine register another extension, which may be called before them. Without any, this extension is the only one.
     */
    private List<ExtensionSettings> extensionsFor(ExtensionContext context, ConfigurationCache declared) {
        return declared.extensions.computeIfAbsent(() -> {
            List<ExtensionSettings> settings = new ArrayList<>();
            TestElement.classes(context).forEach(type -> settings.addAll(inFields.apply(type)));
            if (!settings.contains(own) && (own.isBuilt() || settings.isEmpty())) {
                settings.add(0, own);
            }
            return settings;
        });
    }

    /**
     * Returns the context whose end triggers the check: the test's, or that of the outermost class with the same settings.
     */
    public ExtensionContext ownerOf(
            ExtensionContext context, TrackingSettings asked, Optional<TemplateInvocation> template) {
        if (template.isPresent() && template.get().sharesMesh()) {
            return context.getParent().orElseThrow();
        }
        if (asked.lifetime() == TrackingLifetime.TEST) {
            return context;
        }
        TestElement.method(context).ifPresent(method -> rejectOnMethod(method, asked, sources(context)));
        ExtensionContext owner = context;
        Optional<ExtensionContext> outer = owner.getParent();
        while (outer.isPresent() && outer.get().getTestClass().isPresent() && asksForTheSame(outer.get(), asked)) {
            Class<?> around = outer.get().getRequiredTestClass();
            if (owner.getTestMethod().isEmpty() && owner.getRequiredTestClass() != around) {
                rejectEntries(
                        TestElement.of(owner.getRequiredTestClass()),
                        asked,
                        "a nested class that shares a mesh with lifetime = CLASS",
                        "Put it on " + TestNames.of(around) + ".");
            }
            owner = outer.get();
            outer = owner.getParent();
        }
        return owner;
    }

    /** Rejects annotations of a method whose memory outlives it: they would apply to the other methods too, or to none. */
    private static void rejectOnMethod(TestElement method, TrackingSettings asked, Sources sources) {
        sources.on(method).ifPresent(settings -> {
            throw ConfigurationErrors.of(
                    TrackingSettings.nameOf(settings) + " on " + method.name(),
                    "a source for one method of a class with lifetime = CLASS",
                    "Put it on the class, or let the lifetime of this method be TEST.");
        });
        rejectEntries(
                method,
                asked,
                "one method of a mesh with lifetime = CLASS",
                "Put it on the class, or let the mesh last for one test.");
    }

    /** Rejects entries and budgets that would never be read, unless each test is responsible for its own survivors. */
    private static void rejectEntries(TestElement on, TrackingSettings asked, String owner, String wayOut) {
        if (asked.checksEachTest()) {
            return;
        }
        if (!ExpectationAnnotations.on(on).isEmpty()) {
            throw ConfigurationErrors.of(on.with(ExpectBuffers.class), "an entry for " + owner, wayOut);
        }
        if (!BudgetAnnotations.on(on).isEmpty()) {
            throw ConfigurationErrors.of(on.with(MemoryBudget.class), "a budget for " + owner, wayOut);
        }
    }

    private boolean asksForTheSame(ExtensionContext outer, TrackingSettings asked) {
        return outer.getTestMethod().isPresent() || settingsOf(outer).ofMesh().equals(asked.ofMesh());
    }
}
