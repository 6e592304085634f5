package dev.meshguard.junit.internal.thread;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The tests whose code is on a stack: their methods, lambdas in them, and classes declared in them. */
final class TestStack {

    private static final StackWalker FRAMES = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

    /** The names of lambdas by javac and by Kotlin. */
    private static final Pattern LAMBDA =
            Pattern.compile("lambda\\$(.+)\\$\\d+|(.+?)(?:\\$lambda\\$\\d+(?:\\$\\d+)*)+");

    /** Compilers put it into the names of lambdas and of classes inside others. */
    private static final char INNER = '$';

    /** JUnit's engines: of the Platform, of Jupiter, and of JUnit 4. */
    private static final List<String> ENGINES = List.of(
            "org.junit.platform.engine.support.hierarchical.", "org.junit.jupiter.engine.", "org.junit.runners.");

    private final Function<TestMethod, @Nullable RunningTest> invocations;
    private final Set<RunningTest> tests = Collections.newSetFromMap(new IdentityHashMap<>());
    private boolean isUncertain;
    private boolean isOfEngine;

    private TestStack(Function<TestMethod, @Nullable RunningTest> invocations) {
        this.invocations = invocations;
    }

    /**
     * Reads the stack of the calling thread.
     *
     * @param invocations returns the test that has run a method, if any
     */
    static TestStack ofThread(Function<TestMethod, @Nullable RunningTest> invocations) {
        TestStack stack = new TestStack(invocations);
        FRAMES.forEach(stack::read);
        return stack;
    }

    /** Returns the test if there is exactly one. */
    @Nullable
    RunningTest onlyTest() {
        return tests.size() == 1 && !isUncertain ? tests.iterator().next() : null;
    }

    /** Returns whether an engine of JUnit runs code on it. */
    boolean isOfEngine() {
        return isOfEngine;
    }

    private void read(StackWalker.StackFrame frame) {
        isOfEngine |= ENGINES.stream().anyMatch(frame.getClassName()::startsWith);
        add(frame.getDeclaringClass(), frame.getMethodName());
        if (frame.getClassName().indexOf(INNER) >= 0) {
            addDeclaring(frame.getDeclaringClass());
        }
    }

    private void addDeclaring(Class<?> local) {
        try {
            for (Class<?> type = local; type != null; type = type.getEnclosingClass()) {
                Method method = type.getEnclosingMethod();
                if (method != null) {
                    add(method.getDeclaringClass(), method.getName());
                }
            }
        } catch (LinkageError | TypeNotPresentException unreadable) {
            // A class without its environment shows nothing.
        }
    }

    private void add(Class<?> type, String method) {
        String name = method.indexOf(INNER) < 0 ? method : withoutLambda(method);
        RunningTest test = invocations.apply(new TestMethod(type.getName(), name));
        if (test != null) {
            tests.add(test);
            isUncertain |= isOverloaded(type, name);
        }
    }

    private static String withoutLambda(String method) {
        Matcher lambda = LAMBDA.matcher(method);
        if (!lambda.matches()) {
            return method;
        }
        return lambda.group(1) == null ? lambda.group(2) : lambda.group(1);
    }

    private static boolean isOverloaded(Class<?> type, String name) {
        return Arrays.stream(type.getDeclaredMethods())
                        .filter(method -> method.getName().equals(name) && !method.isSynthetic())
                        .count()
                > 1;
    }
}
