package dev.meshguard.junit.internal.thread;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Finds on the captured stacks of a test's allocations the code of another test, for example of a callback that ran on the same thread.
 *
 * <p>For one thread.
 */
public final class OtherTestFinder {

    private final RunningTest test;
    private final ClassLoader loader;
    private final Map<String, Optional<Class<?>>> classes = new HashMap<>();

    /**
     * Creates a reader of stacks.
     *
     * @param test the responsible test or class
     * @param loader finds the classes of its tests
     */
    public OtherTestFinder(RunningTest test, ClassLoader loader) {
        this.test = test;
        this.loader = loader;
    }

    /**
     * Returns the name of the method of another test in which the innermost code of a test on a stack is declared. It is empty if the
     * stack shows that method too, so that the responsible test has called it, or if the stack is not whole.
     *
     * @param stack innermost frame first
     */
    public Optional<String> otherTest(StackTraceElement... stack) {
        TestMethod other = null;
        for (StackTraceElement frame : stack) {
            String name = frame.getClassName();
            if (TestStack.isOfEngine(name)) {
                return nameOf(other);
            }
            Optional<Class<?>> type = classes.computeIfAbsent(name, this::find);
            if (type.isPresent()) {
                TestMethod called = TestStack.called(type.get(), frame.getMethodName());
                TestMethod around = TestStack.around(type.get(), frame.getMethodName()).stream()
                        .filter(TestMethod::isOfTest)
                        .findFirst()
                        .orElse(null);
                if (other == null && (isOwn(called) || isOwn(around))) {
                    return Optional.empty();
                }
                if (called != null && called == other) {
                    other = null;
                }
                other = other == null ? around : other;
            }
        }
        return isWhole(stack) ? nameOf(other) : Optional.empty();
    }

    private static Optional<String> nameOf(@Nullable TestMethod method) {
        return Optional.ofNullable(method).map(TestMethod::name);
    }

    private boolean isOwn(@Nullable TestMethod method) {
        return method != null && test.runs(method);
    }

    /** The JVM leaves out the outermost frames of a deep stack. */
    private boolean isWhole(StackTraceElement... stack) {
        StackTraceElement outermost = stack.length == 0 ? null : stack[stack.length - 1];
        return outermost != null
                && outermost.getMethodName().equals("run")
                && loaded(outermost.getClassName())
                        .filter(Thread.class::isAssignableFrom)
                        .isPresent();
    }

    private Optional<Class<?>> find(String name) {
        return name.startsWith("java.") || name.startsWith("jdk.") ? Optional.empty() : loaded(name);
    }

    private Optional<Class<?>> loaded(String name) {
        try {
            return Optional.of(Class.forName(name, false, loader));
        } catch (ClassNotFoundException | LinkageError notOfTests) {
            return Optional.empty();
        }
    }
}
