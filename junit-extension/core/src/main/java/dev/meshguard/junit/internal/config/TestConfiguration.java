package dev.meshguard.junit.internal.config;

import dev.meshguard.junit.ExpectBuffers;
import dev.meshguard.junit.MemoryBudget;
import dev.meshguard.junit.TrackingLifetime;
import dev.meshguard.junit.internal.ConfigurationErrors;
import dev.meshguard.junit.internal.TestNames;
import dev.meshguard.junit.internal.TrackingExtension;
import dev.meshguard.junit.internal.UnknownParameters;
import dev.meshguard.junit.internal.template.TemplateInvocation;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;

/**
 * The settings of the tests for which an extension is registered.
 *
 * <p>The nearest annotation counts as a whole; attributes that it leaves out have the values of the configuration parameters,
 * else the defaults.
 */
public final class TestConfiguration {

    private static final Namespace NAMESPACE = Namespace.create(TestConfiguration.class);

    private final Optional<ExtensionSettings> own;
    private final Function<Class<?>, List<ExtensionSettings>> inFields;

    /**
     * Creates the configuration of an extension.
     *
     * @param own the settings of the extension itself; empty if the engine made it
     * @param inFields returns the settings of the extensions in static fields of a class
     */
    public TestConfiguration(Optional<ExtensionSettings> own, Function<Class<?>, List<ExtensionSettings>> inFields) {
        this.own = own;
        this.inFields = inFields;
    }

    /** Returns the settings that are declared for a test, a class or the run. */
    public DeclaredSettings at(ExtensionContext context) {
        List<Class<?>> classes = TestElement.classes(context);
        Supplier<DeclaredSettings> declared =
                () -> new DeclaredSettings(context.getRoot(), TestElement.of(context), extensionsFor(classes));
        // An extension in an instance field serves one test: a cached value would never be used again.
        return own.isPresent()
                ? declared.get()
                : ofRun(
                        context,
                        // Tests of an inherited nested class differ in the enclosing classes.
                        List.of(context.getTestMethod(), classes),
                        DeclaredSettings.class,
                        declared);
    }

    /**
     * Looks up the settings of extensions in static fields, the nearest first. They count even if an annotation made the
     * engine register another extension, which may be called before them.
     */
    private Supplier<List<ExtensionSettings>> extensionsFor(List<Class<?>> classes) {
        return () -> {
            List<ExtensionSettings> settings = new ArrayList<>();
            classes.forEach(type -> settings.addAll(inFields.apply(type)));
            own.filter(mine -> !settings.contains(mine)).ifPresent(mine -> settings.add(0, mine));
            return settings;
        };
    }

    /**
     * Rejects the settings of this extension if it is in an instance field: another extension has begun the memory of the test
     * without them.
     */
    public void rejectInstanceField(ExtensionContext context) {
        boolean isSourceChosen =
                sources(context).annotated(TestElement.of(context)).isPresent();
        own.filter(mine -> TestElement.classes(context).stream()
                        .noneMatch(type -> inFields.apply(type).contains(mine)))
                .filter(mine -> !mine.expected().entries().isEmpty()
                        || !mine.budgets().isEmpty()
                        || !(mine.sources().isEmpty() || isSourceChosen))
                .ifPresent(mine -> {
                    throw ConfigurationErrors.of(
                            "MeshGuardExtension in " + TestNames.of(mine.builder()),
                            "a source, an entry or a budget in an instance field beside an annotation",
                            "JUnit reads the field after the memory of the test has begun: make the field static.");
                });
    }

    /** Returns the sources of the run. */
    public static Sources sources(ExtensionContext context) {
        return ofRun(context, Sources.class, Sources.class, () -> Sources.load(loaderOfTests()));
    }

    /** Returns the policies of the configuration parameters. */
    static CheckPolicy parameters(ExtensionContext context) {
        return ofRun(
                context,
                CheckPolicy.class,
                CheckPolicy.class,
                () -> convertingErrors(() -> {
                    UnknownParameters.reject(loaderOfTests(), context::getConfigurationParameter);
                    return CheckPolicy.of(context::getConfigurationParameter);
                }));
    }

    /** Returns a value that is looked up once in an execution. */
    private static <T> T ofRun(ExtensionContext context, Object key, Class<T> type, Supplier<T> ifAbsent) {
        return context.getRoot().getStore(NAMESPACE).getOrComputeIfAbsent(key, unused -> ifAbsent.get(), type);
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

    /**
     * Returns the context whose end triggers the check: the test's, or that of the outermost class with the same settings. No class
     * outside the one that declares an extension in a field is asked, because the settings of the field do not apply there.
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
            boolean isNested = owner.getTestMethod().isEmpty() && owner.getRequiredTestClass() != around;
            if (isNested && hasOwnExtension(owner.getRequiredTestClass(), around)) {
                return owner;
            }
            if (isNested) {
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
        sources.on(method).findFirst().ifPresent(settings -> {
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

    /** An inherited field may be that of both classes. */
    private static boolean hasOwnExtension(Class<?> nested, Class<?> around) {
        return !TrackingExtension.fieldsOf(around).containsAll(TrackingExtension.fieldsOf(nested));
    }

    private boolean asksForTheSame(ExtensionContext outer, TrackingSettings asked) {
        return outer.getTestMethod().isPresent()
                || at(outer).tracking(Optional.empty()).ofMesh().equals(asked.ofMesh());
    }
}
