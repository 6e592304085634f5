package dev.meshguard.junit.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.platform.commons.annotation.Testable;
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * Checks fixtures that state the result of their tests: one with {@link MustFail} fails as described, and all others succeed and
 * publish nothing.
 *
 * <p>A class is run once. The name of each method is a sentence about the one behaviour that it shows.
 */
final class FixtureChecks {

    private FixtureChecks() {}

    /** Returns the tests of each fixture of a test class. */
    static Stream<DynamicTest> in(Class<?> testClass) {
        List<Class<?>> fixtures = Arrays.stream(testClass.getDeclaredClasses())
                .filter(type -> type.getSimpleName().endsWith("TestCase") && !Modifier.isAbstract(type.getModifiers()))
                .sorted(Comparator.comparing(Class::getSimpleName))
                .toList();
        assertThat(fixtures).as("fixtures").isNotEmpty();
        return fixtures.stream().flatMap(FixtureChecks::of);
    }

    /** Returns a test for each method of a fixture, and for the class, after a run of its own. */
    static Stream<DynamicTest> of(Class<?> type) {
        RunAssert results = RunAssert.assertThat(run(type));
        List<Method> methods = methods(type)
                .filter(method -> AnnotationSupport.isAnnotated(method, Testable.class))
                .toList();
        return Stream.concat(
                methods.stream()
                        .map(method -> DynamicTest.dynamicTest(method.getName(), () -> verify(results, method))),
                Stream.of(
                        DynamicTest.dynamicTest(type.getSimpleName(), () -> verifyContainers(results, type, methods))));
    }

    private static Stream<Method> methods(Class<?> type) {
        return JupiterRun.around(type).flatMap(JupiterRun::methods);
    }

    private static RunAssert.Results run(Class<?> type) {
        Configured configured = type.getAnnotation(Configured.class);
        if (configured == null) {
            return JupiterRun.run(type);
        }
        Map<String, String> parameters = Arrays.stream(configured.value())
                .map(parameter -> parameter.split("=", 2))
                .collect(Collectors.toMap(parts -> parts[0], parts -> parts[1]));
        return configured.concurrently()
                ? JupiterRun.runConcurrently(type, parameters)
                : JupiterRun.run(type, parameters);
    }

    /** Without {@link Runs}, a repeated test has as many as its annotation says, and any other has one. */
    private static int runsOf(Method method) {
        Runs runs = method.getAnnotation(Runs.class);
        RepeatedTest repeated = method.getAnnotation(RepeatedTest.class);
        return runs != null ? runs.value() : repeated != null ? repeated.value() : 1;
    }

    private static List<MustFail> failuresOf(AnnotatedElement element) {
        return AnnotationSupport.findRepeatableAnnotations(element, MustFail.class);
    }

    /** Returns the failure of the test, class or run; absent if only a container fails. */
    private static @Nullable MustFail failureOf(AnnotatedElement element) {
        return failuresOf(element).stream()
                .filter(failure -> !failure.container())
                .findFirst()
                .orElse(null);
    }

    private static void verify(RunAssert results, Method method) {
        int runs = runsOf(method);
        List<RunAssert.Subject> tests = new ArrayList<>(results.testsOf(method.getName()));
        assertThat(tests).as("tests of " + method.getName()).hasSize(runs);

        MustFail failure = failureOf(method);
        if (failure != null) {
            int failing = failure.invocation() == 0 ? runs : failure.invocation();
            assertThat(failing).as("invocation that fails").isPositive().isLessThanOrEqualTo(runs);
            verify(tests.remove(failing - 1), failure);
        }
        tests.forEach(test -> verifySuccess(test, method));
        failuresOf(method).stream()
                .filter(MustFail::container)
                .forEach(container -> verify(results.hasFailedContainerOf(method.getName()), container));
    }

    private static void verifySuccess(RunAssert.Subject test, Method method) {
        Publishes published = method.getAnnotation(Publishes.class);
        if (published == null) {
            test.whichSucceededSilently();
        } else {
            test.whichSucceededWithPublishedTextContaining(published.value());
        }
    }

    /** An expectation that nothing could contradict would hold without a look. */
    private static void requireThatAllIsExamined(Class<?> type, List<Method> tests) {
        assertThat(tests).as("tests of " + type.getSimpleName()).isNotEmpty();
        assertThat(methods(type).filter(method -> !tests.contains(method)))
                .as("methods that state a result and are no tests")
                .noneMatch(method -> !failuresOf(method).isEmpty()
                        || method.isAnnotationPresent(Publishes.class)
                        || method.isAnnotationPresent(Runs.class));
        assertThat(JupiterRun.around(type).skip(1))
                .as("nested classes with a run of their own")
                .noneMatch(nested -> nested.isAnnotationPresent(Configured.class));
        assertThat(tests).as("tests that let the run fail").noneMatch(FixtureChecks::letsTheRunFail);
    }

    private static boolean letsTheRunFail(Method test) {
        MustFail failure = failureOf(test);
        return failure != null && failure.run();
    }

    /** Also verifies that no other test ran. */
    private static void verifyContainers(RunAssert results, Class<?> type, List<Method> methods) {
        requireThatAllIsExamined(type, methods);
        results.hasTests(methods.stream().mapToInt(FixtureChecks::runsOf).sum());
        List<Class<?>> failing = failingTypes(type);
        results.hasFailedContainers((int)
                (methods.stream().filter(FixtureChecks::hasFailingContainer).count() + failing.size()));
        for (Class<?> one : failing) {
            MustFail failure = failureOf(one);
            verify(failure.run() ? results.hasFailedRun() : results.hasFailedClass(one), failure);
        }
    }

    /** Returns those of a fixture and its nested classes that fail, or let the run fail. */
    private static List<Class<?>> failingTypes(Class<?> type) {
        return JupiterRun.around(type).filter(one -> failureOf(one) != null).toList();
    }

    private static boolean hasFailingContainer(Method method) {
        return failuresOf(method).stream().anyMatch(MustFail::container);
    }

    private static void verify(RunAssert.Subject test, MustFail expected) {
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
        if (!expected.frame().isEmpty()) {
            failure.withFirstFrameIn(expected.frame());
        }
    }
}
