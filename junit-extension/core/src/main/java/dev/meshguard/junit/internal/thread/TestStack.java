package dev.meshguard.junit.internal.thread;

import dev.meshguard.junit.internal.TrackingExtension;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.platform.commons.support.AnnotationSupport;

/** Finds the tests whose code is on a stack: their methods, lambdas in them, and classes declared in them. */
final class TestStack {

    private static final StackWalker FRAMES = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

    /** The names of lambdas by javac. */
    private static final Pattern LAMBDA = Pattern.compile("lambda\\$(.+)\\$\\d+");

    /** The names of lambdas by Kotlin. */
    private static final Pattern KOTLIN_LAMBDA = Pattern.compile("(.+?)(?:\\$lambda\\$\\d+(?:\\$\\d+)*)+");

    /** Characters of a method's name that Kotlin replaces in the names of its lambdas. */
    private static final Pattern REPLACED_BY_KOTLIN = Pattern.compile("[^\\p{L}\\p{Digit}_]");

    /** JUnit's engines: of the Platform, of Jupiter, and of JUnit 4. */
    private static final List<String> ENGINES = List.of(
            "org.junit.platform.engine.support.hierarchical.", "org.junit.jupiter.engine.", "org.junit.runners.");

    /** The package of the tests and classes that Jupiter's engine runs. */
    private static final String DESCRIPTORS = "org.junit.jupiter.engine.descriptor.";

    private static final String TEST = "TestMethodTestDescriptor";

    /** As long as a class is loaded, a thread may run what a test of an earlier run has left. */
    private static final ClassValue<ClassCode> CODE = new ClassValue<>() {
        @Override
        protected ClassCode computeValue(Class<?> type) {
            return new ClassCode(type);
        }
    };

    private static final ClassValue<Boolean> TRACKED = new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
            return hasExtension(type);
        }
    };

    private final Set<RunningTest> tests = Collections.newSetFromMap(new IdentityHashMap<>());
    private boolean isOfEngine;
    /** The innermost test or class that Jupiter runs. */
    private @Nullable String descriptor;

    private TestStack() {}

    /** The code of a class. */
    private static final class ClassCode {

        /** The methods in which the class is declared, the innermost first. */
        private final List<Method> around;

        /** The methods that tests run or have run, by their names. */
        private final Map<String, TestMethod> methods = new ConcurrentHashMap<>();

        /** The same by the names of methods in Kotlin's names of lambdas. */
        private final Map<String, TestMethod> kotlinMethods = new ConcurrentHashMap<>();

        private final boolean isOfEngine;

        ClassCode(Class<?> type) {
            this.around = around(type);
            this.isOfEngine = isOfEngine(type.getName());
        }

        @Nullable
        TestMethod called(String method) {
            return methods.get(method);
        }

        /** Returns the method whose lambda another one is. */
        @Nullable
        TestMethod around(String lambda) {
            if (methods.isEmpty() || methods.containsKey(lambda)) {
                return null;
            }
            Matcher java = LAMBDA.matcher(lambda);
            if (java.matches()) {
                return methods.get(java.group(1));
            }
            Matcher kotlin = KOTLIN_LAMBDA.matcher(lambda);
            return kotlin.matches() ? kotlinMethods.get(kotlin.group(1)) : null;
        }

        private static List<Method> around(Class<?> declared) {
            List<Method> methods = new ArrayList<>();
            try {
                for (Class<?> type = declared; type != null; type = type.getEnclosingClass()) {
                    Method method = type.getEnclosingMethod();
                    if (method != null) {
                        methods.add(method);
                    }
                }
            } catch (LinkageError | TypeNotPresentException | InternalError unreadable) {
                // A class without its environment, or with a wrong attribute, shows no more.
            }
            return methods;
        }
    }

    /** Records that a test runs a method, and returns it, by its name and by that in Kotlin's names of lambdas. */
    static List<TestMethod> addInvocation(Method method, RunningTest test) {
        ClassCode code = CODE.get(method.getDeclaringClass());
        return List.of(
                added(method, test, code.methods, UnaryOperator.identity()),
                added(method, test, code.kotlinMethods, TestStack::nameInKotlinLambdas));
    }

    /** One of several methods with the name does not show which. */
    private static TestMethod added(
            Method method, RunningTest test, Map<String, TestMethod> methods, UnaryOperator<String> naming) {
        String name = naming.apply(method.getName());
        boolean isOfSeveral = Arrays.stream(method.getDeclaringClass().getDeclaredMethods())
                        .filter(other -> naming.apply(other.getName()).equals(name) && !other.isSynthetic())
                        .count()
                > 1;
        RunningTest ofSeveral = test.isTracked() ? RunningTest.SEVERAL : RunningTest.OVERLOADED;
        TestMethod added =
                methods.computeIfAbsent(name, unused -> new TestMethod(method, !isOfSeveral && !test.isOfClass()));
        added.runs(isOfSeveral ? ofSeveral : test);
        return added;
    }

    private static String nameInKotlinLambdas(String method) {
        return REPLACED_BY_KOTLIN.matcher(method).replaceAll("_");
    }

    /** Returns whether JUnit registers the extension for the tests of a class. */
    static boolean isTracked(Class<?> type) {
        return TRACKED.get(type);
    }

    private static boolean hasExtension(Class<?> type) {
        try {
            boolean isNested = type.isMemberClass() && !Modifier.isStatic(type.getModifiers());
            return AnnotationSupport.findRepeatableAnnotations(type, ExtendWith.class).stream()
                            .flatMap(registered -> Arrays.stream(registered.value()))
                            .anyMatch(TrackingExtension.class::isAssignableFrom)
                    || !TrackingExtension.fieldsOf(type).isEmpty()
                    || (isNested && isTracked(type.getEnclosingClass()));
        } catch (LinkageError | TypeNotPresentException unreadable) {
            return false;
        }
    }

    /** Reads the stack of the calling thread. */
    static TestStack ofThread() {
        TestStack stack = new TestStack();
        FRAMES.forEach(stack::read);
        return stack;
    }

    /** Returns the test if there is exactly one. */
    @Nullable
    RunningTest onlyTest() {
        RunningTest one = tests.size() == 1 ? tests.iterator().next() : null;
        return one == RunningTest.SEVERAL || one == RunningTest.OVERLOADED ? null : one;
    }

    /** Returns whether it shows a test, also if it is not certain which. */
    boolean showsTest() {
        return !tests.isEmpty();
    }

    /** Returns whether it shows a tracked test, also if it is not certain which. */
    boolean showsTracked() {
        return tests.stream().anyMatch(RunningTest::isTracked);
    }

    /** Returns whether Jupiter runs a test on it, and not only the class of one. */
    boolean isOfTest() {
        return TEST.equals(descriptor);
    }

    /** Returns whether JUnit calls code of a tracked class on the calling thread, for example its static initializer, and no test. */
    boolean isOfTrackedClass() {
        return !isOfTest()
                && FRAMES.walk(frames -> frames.map(StackWalker.StackFrame::getDeclaringClass)
                        .takeWhile(type -> !type.getName().startsWith("org.junit."))
                        .filter(type -> !type.getName().startsWith("java.")
                                && !type.getName().startsWith("jdk."))
                        .reduce((called, caller) -> caller)
                        .filter(TestStack::isTracked)
                        .isPresent());
    }

    /** Returns whether an engine of JUnit runs code on it. */
    boolean isOfEngine() {
        return isOfEngine;
    }

    private void read(StackWalker.StackFrame frame) {
        ClassCode code = CODE.get(frame.getDeclaringClass());
        if (code.isOfEngine) {
            String name = frame.getClassName();
            isOfEngine = true;
            if (descriptor == null && name.startsWith(DESCRIPTORS)) {
                descriptor = name.substring(DESCRIPTORS.length());
            }
            return;
        }
        // Most classes run no tests, and the name of a method takes as long as all else.
        if (!code.methods.isEmpty()) {
            add(code.called(frame.getMethodName()));
            add(code.around(frame.getMethodName()));
        }
        code.around.forEach(method -> add(called(method.getDeclaringClass(), method.getName())));
    }

    private void add(@Nullable TestMethod method) {
        RunningTest test = method == null ? null : method.test();
        if (test != null && !test.hasNestedRun()) {
            tests.add(test);
        }
    }

    /** Returns whether a class is one of JUnit's engines. */
    static boolean isOfEngine(String type) {
        return ENGINES.stream().anyMatch(type::startsWith);
    }

    /** Returns the method of tests that a frame shows, if it is one. */
    static @Nullable TestMethod called(Class<?> type, String method) {
        return CODE.get(type).called(method);
    }

    /** Returns the methods of tests in which the code of a frame is declared, as a lambda or in a class, the innermost first. */
    static List<TestMethod> around(Class<?> type, String method) {
        ClassCode code = CODE.get(type);
        return Stream.concat(
                        Stream.ofNullable(code.around(method)),
                        code.around.stream()
                                .flatMap(around ->
                                        Stream.ofNullable(called(around.getDeclaringClass(), around.getName()))))
                .toList();
    }
}
