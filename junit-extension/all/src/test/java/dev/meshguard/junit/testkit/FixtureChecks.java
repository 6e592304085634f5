package dev.meshguard.junit.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.platform.commons.annotation.Testable;
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * Checks fixtures that state the result of their tests: one with {@link MustFail} fails as described, and all others succeed.
 *
 * <p>A class is run once. The name of each method is a sentence about the one behaviour that it shows.
 */
public final class FixtureChecks {

    private FixtureChecks() {}

    /** Returns a test for each method of each class, and for the class, after a run of its own. */
    public static Stream<DynamicTest> of(Class<?>... types) {
        return Arrays.stream(types).flatMap(type -> of(Map.of(), type));
    }

    /** Returns a test for each method of a class, and for the class, after a run with configuration parameters. */
    public static Stream<DynamicTest> of(Map<String, String> parameters, Class<?> type) {
        RunAssert results = RunAssert.assertThat(JupiterRun.run(type, parameters));
        List<Method> methods = JupiterRun.methods(type)
                .filter(method -> AnnotationSupport.isAnnotated(method, Testable.class))
                .toList();
        return Stream.concat(
                methods.stream()
                        .map(method -> DynamicTest.dynamicTest(method.getName(), () -> verify(results, method))),
                Stream.of(
                        DynamicTest.dynamicTest(type.getSimpleName(), () -> verifyContainers(results, type, methods))));
    }

    private static int runsOf(Method method) {
        Runs runs = method.getAnnotation(Runs.class);
        return runs == null ? 1 : runs.value();
    }

    private static void verify(RunAssert results, Method method) {
        int runs = runsOf(method);
        List<RunAssert.Subject> tests = results.testsOf(method.getName());
        assertThat(tests).as("tests of " + method.getName()).hasSize(runs);
        MustFail failure = method.getAnnotation(MustFail.class);
        int failing =
                failure == null || failure.container() ? 0 : failure.invocation() == 0 ? runs : failure.invocation();
        for (int i = 1; i <= runs; i++) {
            if (i == failing) {
                verify(tests.get(i - 1), failure, method);
            } else {
                tests.get(i - 1).whichSucceeded();
            }
        }
        if (failure != null && failure.container()) {
            verify(results.hasFailedContainerOf(method.getName()), failure, method);
        }
    }

    /** An expectation that nothing could contradict would hold without a look. */
    private static void requireThatAllIsExamined(Class<?> type, List<Method> tests) {
        assertThat(tests).as("tests of " + type.getSimpleName()).isNotEmpty();
        assertThat(JupiterRun.methods(type).filter(method -> !tests.contains(method)))
                .as("methods that state a result and are no tests")
                .noneMatch(
                        method -> method.isAnnotationPresent(MustFail.class) || method.isAnnotationPresent(Runs.class));
        assertThat(type.getDeclaredClasses())
                .as("nested classes with a result of their own")
                .noneMatch(nested -> nested.isAnnotationPresent(MustFail.class));
        MustFail ofType = type.getAnnotation(MustFail.class);
        assertThat(ofType != null && ofType.atMethod())
                .as("a class fails at a method")
                .isFalse();
        assertThat(tests)
                .as("tests of which an invocation fails that does not exist")
                .allMatch(FixtureChecks::hasInvocationThatFails);
    }

    private static boolean hasInvocationThatFails(Method test) {
        MustFail failure = test.getAnnotation(MustFail.class);
        int runs = runsOf(test);
        return failure == null
                || failure.container()
                || (runs > 0 && failure.invocation() >= 0 && failure.invocation() <= runs);
    }

    /** Also verifies that no other test ran, for example an inherited one. */
    private static void verifyContainers(RunAssert results, Class<?> type, List<Method> methods) {
        requireThatAllIsExamined(type, methods);
        results.hasTests(methods.stream().mapToInt(FixtureChecks::runsOf).sum());
        MustFail failure = type.getAnnotation(MustFail.class);
        results.hasFailedContainers((int) methods.stream()
                        .filter(FixtureChecks::hasFailingContainer)
                        .count()
                + (failure == null ? 0 : 1));
        if (failure != null) {
            verify(results.hasFailedClass(), failure, null);
        }
    }

    private static boolean hasFailingContainer(Method method) {
        MustFail failure = method.getAnnotation(MustFail.class);
        return failure != null && failure.container();
    }

    private static void verify(RunAssert.Subject test, MustFail expected, @Nullable Method method) {
        RunAssert.Failure failure = expected.aborted() ? test.whichWasAborted() : test.whichFailed();
        failure.with(expected.error());
        Arrays.stream(expected.verdict()).forEach(failure::withVerdict);
        Arrays.stream(expected.text()).forEach(failure::withTextContaining);
        Arrays.stream(expected.suppressed()).forEach(failure::withSuppressedVerdict);
        Arrays.stream(expected.note()).forEach(failure::withSuppressedText);
        Arrays.stream(expected.published()).forEach(failure::withPublishedTextContaining);
        if (!expected.message().isEmpty()) {
            failure.withText(expected.message());
        }
        if (expected.alone()) {
            failure.withNothingSuppressed();
        }
        if (expected.atMethod() && method != null) {
            failure.withFirstFrameIn(method.getDeclaringClass(), method.getName());
        }
    }
}
