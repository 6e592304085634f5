package dev.meshguard.junit.internal.thread;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The tests whose code is on a stack: their methods, lambdas in them, and classes declared in them. */
final class TestStack {

    private static final StackWalker FRAMES = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

    /** The names of lambdas by javac and by Kotlin. */
    private static final Pattern LAMBDA =
            Pattern.compile("lambda\\$(.+)\\$\\d+|(.+?)(?:\\$lambda\\$\\d+(?:\\$\\d+)*)+");

    /** JUnit's engines: of the Platform, of Jupiter, and of JUnit 4. */
    private static final List<String> ENGINES = List.of(
            "org.junit.platform.engine.support.hierarchical.", "org.junit.jupiter.engine.", "org.junit.runners.");

    /** The package of the tests and classes that Jupiter's engine runs. */
    private static final String DESCRIPTORS = "org.junit.jupiter.engine.descriptor.";

    private static final String TEST = "TestMethodTestDescriptor";

    private final Map<String, Map<TestMethod, RunningTest>> invocations;
    private final Set<RunningTest> tests = Collections.newSetFromMap(new IdentityHashMap<>());
    private boolean isUncertain;
    private boolean isOfEngine;
    /** The innermost test or class that Jupiter runs. */
    private @Nullable String descriptor;

    private TestStack(Map<String, Map<TestMethod, RunningTest>> invocations) {
        this.invocations = invocations;
    }

    /**
     * Reads the stack of the calling thread.
     *
     * @param invocations the test that has run a method, by the outermost class
     */
    static TestStack ofThread(Map<String, Map<TestMethod, RunningTest>> invocations) {
        TestStack stack = new TestStack(invocations);
        FRAMES.forEach(stack::read);
        return stack;
    }

    /** Returns the test if there is exactly one. */
    @Nullable
    RunningTest onlyTest() {
        return tests.size() == 1 && !isUncertain ? tests.iterator().next() : null;
    }

    /** Returns whether it shows a test, also if it is not certain which. */
    boolean showsTest() {
        return !tests.isEmpty();
    }

    /** Returns whether Jupiter runs a test on it, and not only the class of one. */
    boolean isOfTest() {
        return TEST.equals(descriptor);
    }

    /** Returns whether an engine of JUnit runs code on it. */
    boolean isOfEngine() {
        return isOfEngine;
    }

    private void read(StackWalker.StackFrame frame) {
        String name = frame.getClassName();
        isOfEngine |= isOfEngine(name);
        if (descriptor == null && name.startsWith(DESCRIPTORS)) {
            descriptor = name.substring(DESCRIPTORS.length());
        }
        Map<TestMethod, RunningTest> ofClass = invocations.get(TestMethod.outermost(name));
        if (ofClass != null) {
            read(frame, ofClass);
        }
    }

    private static boolean isOfEngine(String type) {
        for (String engine : ENGINES) {
            if (type.startsWith(engine)) {
                return true;
            }
        }
        return false;
    }

    private void read(StackWalker.StackFrame frame, Map<TestMethod, RunningTest> ofClass) {
        try {
            add(frame.getDeclaringClass(), frame.getMethodName(), ofClass);
            for (Class<?> type = frame.getDeclaringClass(); type != null; type = type.getEnclosingClass()) {
                Method method = type.getEnclosingMethod();
                if (method != null) {
                    add(method.getDeclaringClass(), method.getName(), ofClass);
                }
            }
        } catch (LinkageError | TypeNotPresentException | InternalError unreadable) {
            // A class without its environment, or with a wrong attribute, shows no more.
        }
    }

    private void add(Class<?> type, String method, Map<TestMethod, RunningTest> ofClass) {
        Matcher lambda = LAMBDA.matcher(method);
        String name = !lambda.matches() ? method : lambda.group(1) == null ? lambda.group(2) : lambda.group(1);
        RunningTest test = ofClass.get(new TestMethod(type.getName(), name));
        if (test != null && !test.hasNestedRun()) {
            tests.add(test);
            isUncertain |= isOverloaded(type, name);
        }
    }

    private static boolean isOverloaded(Class<?> type, String name) {
        return Arrays.stream(type.getDeclaredMethods())
                        .filter(method -> method.getName().equals(name) && !method.isSynthetic())
                        .count()
                > 1;
    }
}
