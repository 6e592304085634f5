package dev.meshguard.junit.testkit;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectIteration;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.platform.commons.support.HierarchyTraversalMode;
import org.junit.platform.commons.support.ReflectionSupport;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.testkit.engine.EngineTestKit;

/** Runs test classes with Jupiter. */
public final class JupiterRun {

    /** The configuration parameters with which tests run concurrently. */
    public static final Map<String, String> CONCURRENTLY = Map.of(
            "junit.jupiter.execution.parallel.enabled", "true",
            "junit.jupiter.execution.parallel.mode.default", "concurrent",
            "junit.jupiter.execution.parallel.config.strategy", "fixed",
            "junit.jupiter.execution.parallel.config.fixed.parallelism", "4");

    private static final Pattern LINE = Pattern.compile("(\\.java):\\d+");

    private JupiterRun() {}

    /** Returns the results of the tests of a class. */
    public static RunAssert.Results run(Class<?> testClass) {
        return runTogether(testClass);
    }

    /** Returns the messages of all failures in a run of a class. */
    public static List<String> failuresOf(Class<?> testClass) {
        return run(testClass).failures();
    }

    /** Returns the results of one invocation of a method that runs several times, from 1; the others do not run. */
    public static RunAssert.Results runInvocation(Class<?> testClass, String method, int index) {
        Method found = Arrays.stream(testClass.getDeclaredMethods())
                .filter(one -> one.getName().equals(method))
                .findFirst()
                .orElseThrow();
        return execute(
                "junit-jupiter", Map.of(), Stream.of(selectIteration(selectMethod(testClass, found), index - 1)));
    }

    /** Returns the results of the tests of a class in a run with configuration parameters. */
    public static RunAssert.Results run(Class<?> testClass, Map<String, String> parameters) {
        return runTogether(parameters, testClass);
    }

    /** Returns the results of the test with a given name in a class or its nested classes; the others do not run. */
    public static RunAssert.Results runTest(Class<?> around, String test, Map<String, String> parameters) {
        return execute(
                "junit-jupiter",
                parameters,
                around(around)
                        .flatMap(type -> methods(type)
                                .filter(method -> method.getName().equals(test))
                                .map(method -> selectMethod(type, method))));
    }

    /** Returns the methods of a class and of those that it extends. */
    static Stream<Method> methods(Class<?> type) {
        return ReflectionSupport.streamMethods(type, method -> !method.isSynthetic(), HierarchyTraversalMode.TOP_DOWN);
    }

    /** Returns a class and its nested classes. */
    static Stream<Class<?>> around(Class<?> type) {
        return Stream.concat(
                Stream.of(type), Arrays.stream(type.getDeclaredClasses()).flatMap(JupiterRun::around));
    }

    /** Returns the results of the tests of several classes in one run. */
    public static RunAssert.Results runTogether(Class<?>... testClasses) {
        return runTogether(Map.of(), testClasses);
    }

    /** Returns the results of the tests of several classes in one run with configuration parameters. */
    public static RunAssert.Results runTogether(Map<String, String> parameters, Class<?>... testClasses) {
        return execute("junit-jupiter", parameters, Arrays.stream(testClasses).map(DiscoverySelectors::selectClass));
    }

    /** Returns the results of the tests of {@code @Suite} classes in one run. */
    public static RunAssert.Results runSuites(Class<?>... suites) {
        return execute("junit-platform-suite", Map.of(), Arrays.stream(suites).map(DiscoverySelectors::selectClass));
    }

    /** Returns the results of the tests of a class that ran concurrently. */
    public static RunAssert.Results runConcurrently(Class<?> testClass) {
        return runConcurrently(testClass, Map.of());
    }

    /** Returns the results of the tests of a class that ran concurrently, with configuration parameters. */
    public static RunAssert.Results runConcurrently(Class<?> testClass, Map<String, String> parameters) {
        Map<String, String> all = new HashMap<>(parameters);
        all.putAll(CONCURRENTLY);
        return run(testClass, all);
    }

    /** Runs tests without pages, unless a parameter asks for them, and with a JUnit that closes no mere {@link AutoCloseable}, as before 5.13. */
    private static RunAssert.Results execute(
            String engine, Map<String, String> parameters, Stream<? extends DiscoverySelector> selectors) {
        return new RunAssert.Results(EngineTestKit.engine(engine)
                .configurationParameter("meshguard.page", "off")
                .configurationParameter("junit.jupiter.extensions.store.close.autocloseable.enabled", "false")
                .configurationParameters(parameters)
                .selectors(selectors.toArray(DiscoverySelector[]::new))
                .execute());
    }

    /** Returns a text with the line numbers of source files masked, so that fixtures may move. */
    public static String masked(String text) {
        return LINE.matcher(text).replaceAll("$1:NN");
    }
}
