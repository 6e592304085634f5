package dev.meshguard.junit;

import dev.meshguard.junit.internal.RunState;
import dev.meshguard.junit.internal.summary.CheckSubject;
import dev.meshguard.verdict.budget.BudgetSpec;
import dev.meshguard.verdict.expectation.ExpectedBuffers;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * What annotations and static fields say for a method or class, looked for once in a run.
 *
 * <p>To look for it is a good part of what a test costs, and all invocations of a method find the same. What is refused is not kept, so
 * that each test tells it.
 *
 * <p>Safe for use by several threads: two may look at the same time, and find the same.
 */
final class ConfigurationCache {

    /**
     * Who looks, and where.
     *
     * @param enclosing the classes around the one of the test: an inherited nested class lies within several
     */
    record TestLocation(
            MeshGuardExtension extension, List<Class<?>> enclosing, Optional<Class<?>> type, Optional<Method> method) {

        /** The classes around hardly ever tell two places apart, and this is asked for each test. */
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

    /** Something that is looked for. */
    static final class Lazy<T> {

        private volatile @Nullable T found;

        T orElseLook(Supplier<T> look) {
            T known = found;
            if (known == null) {
                known = look.get();
                found = known;
            }
            return known;
        }
    }

    final Lazy<TrackingSettings> settings = new Lazy<>();
    final Lazy<CheckPolicy> policies = new Lazy<>();
    final Lazy<ExpectedBuffers> expected = new Lazy<>();
    final Lazy<List<BudgetSpec>> budgets = new Lazy<>();
    final Lazy<List<MeshGuardExtension>> speakers = new Lazy<>();

    /** The account of the execution that this is kept for. */
    final Lazy<RunState> run = new Lazy<>();

    /** What a summary says of whoever stands here. */
    final Lazy<CheckSubject> subject = new Lazy<>();

    /** Returns what is known of the place of a context. */
    static ConfigurationCache of(MeshGuardExtension extension, ExtensionContext context) {
        return SessionStore.declarations(
                context,
                new TestLocation(
                        extension, context.getEnclosingTestClasses(), context.getTestClass(), context.getTestMethod()));
    }
}
