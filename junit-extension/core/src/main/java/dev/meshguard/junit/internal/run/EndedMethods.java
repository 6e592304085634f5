package dev.meshguard.junit.internal.run;

import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Nested;
import org.junit.platform.commons.support.AnnotationSupport;
import org.junit.platform.commons.support.ReflectionSupport;

/**
 * The test methods that have ended in a run, and whether all their invocations completed.
 *
 * <p>A class whose tests share a mesh is checked once, and completes only if each of its tests does. A test that a condition or a
 * filter excludes never ends. Safe for use by several threads.
 */
public final class EndedMethods {

    private final Map<Test, Boolean> completed = new HashMap<>();

    private record Test(Class<?> type, Method method) {}

    /** Adds a test, or one of several invocations. */
    public synchronized void add(Class<?> type, Method method, boolean isCompleted) {
        completed.merge(new Test(type, method), isCompleted, Boolean::logicalAnd);
    }

    /** Returns the classes of the tests. */
    public synchronized Set<Class<?>> types() {
        return completed.keySet().stream().map(Test::type).collect(Collectors.toUnmodifiableSet());
    }

    /** Returns whether all test methods of a class and its nested classes have completed. */
    public synchronized boolean haveCompleted(Class<?> type) {
        return DeclaredTests.of(type).stream().allMatch(method -> completed.getOrDefault(new Test(type, method), false))
                && ReflectionSupport.findNestedClasses(
                                type, nested -> AnnotationSupport.isAnnotated(nested, Nested.class))
                        .stream()
                        .allMatch(this::haveCompleted);
    }
}
