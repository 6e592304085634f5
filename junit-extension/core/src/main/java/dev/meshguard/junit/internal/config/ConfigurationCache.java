package dev.meshguard.junit.internal.config;

import dev.meshguard.junit.internal.SharedRunState;
import dev.meshguard.junit.internal.summary.CheckSubject;
import dev.meshguard.verdict.budget.BudgetSpec;
import dev.meshguard.verdict.expectation.ExpectedBuffers;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store;

/**
 * The settings that annotations and static fields declare for a method or class, looked up once in a run.
 *
 * <p>The look-up is a large part of the cost of a test, and all invocations of a method have the same result. Errors
 * are not cached, so each test reports them.
 *
 * <p>Safe for use by several threads: two may look up at the same time, and find the same.
 */
public final class ConfigurationCache {

    /**
     * The location of a test for which settings are cached.
     *
     * @param enclosing the classes around the one of the test: an inherited nested class is inside several
     */
    private record TestLocation(
            ExtensionSettings extension, List<Class<?>> enclosing, Optional<Class<?>> type, Optional<Method> method) {

        /** Two locations rarely differ only in the enclosing classes, and each test computes this hash. */
        @Override
        public int hashCode() {
            return 31 * type.hashCode() + method.hashCode();
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof TestLocation place
                    && extension.equals(place.extension)
                    && method.equals(place.method)
                    && type.equals(place.type)
                    && enclosing.equals(place.enclosing);
        }
    }

    /** A value that is looked up once. */
    public static final class Lazy<T> {

        private volatile @Nullable T found;

        /** Returns the value; computes it at the first call. */
        public T computeIfAbsent(Supplier<T> value) {
            T known = found;
            if (known == null) {
                known = value.get();
                found = known;
            }
            return known;
        }
    }

    private static final Namespace NAMESPACE = Namespace.create(ConfigurationCache.class);

    final Lazy<TrackingSettings> settings = new Lazy<>();
    final Lazy<ExpectedBuffers> expected = new Lazy<>();
    final Lazy<List<BudgetSpec>> budgets = new Lazy<>();
    final Lazy<List<ExtensionSettings>> extensions = new Lazy<>();

    /** The state of the execution for which this is cached. */
    public final Lazy<SharedRunState> run = new Lazy<>();

    /** The subject that a summary names. */
    public final Lazy<CheckSubject> subject = new Lazy<>();

    /** Returns the cached settings for the location of a context. */
    static ConfigurationCache of(ExtensionSettings extension, ExtensionContext context) {
        TestLocation location = new TestLocation(
                extension, context.getEnclosingTestClasses(), context.getTestClass(), context.getTestMethod());
        return ofRun(context)
                .getOrComputeIfAbsent(location, unused -> new ConfigurationCache(), ConfigurationCache.class);
    }

    /** Returns a value that is looked up once in an execution. */
    static <T> T ofRun(ExtensionContext context, Class<T> type, Supplier<T> ifAbsent) {
        return ofRun(context).getOrComputeIfAbsent(type, unused -> ifAbsent.get(), type);
    }

    private static Store ofRun(ExtensionContext context) {
        return context.getRoot().getStore(NAMESPACE);
    }
}
