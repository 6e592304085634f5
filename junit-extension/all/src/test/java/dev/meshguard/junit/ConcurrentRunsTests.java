package dev.meshguard.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicContainer.dynamicContainer;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.meshguard.assertions.LeakAssertionError;
import dev.meshguard.junit.mesh.FakeMesh;
import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.junit.testkit.JupiterRun;
import dev.meshguard.mesh.MeshBuffer;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.verdict.SurvivorStatus;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.testkit.engine.EngineExecutionResults;
import org.junit.platform.testkit.engine.Event;

/**
 * Of a thousand concurrent tests, exactly the leaking ones fail, each for its own buffer, every time.
 *
 * <p>The seed of a run determines the leaking tests and the thread pool. A failure names it; {@code -Dmeshguard.seed=}
 * with that number and {@code -Dmeshguard.runs=1} repeat it.
 */
class ConcurrentRunsTests {

    /** The same runs in every build; use other seeds to search for more failures. */
    private static final long FIRST_SEED = 1_000;

    /** JUnit's modes of concurrent execution. */
    private enum Pool {
        TWO_WORKERS("same_thread", "concurrent", "strategy=fixed fixed.parallelism=2"),
        FOUR_WORKERS("concurrent", "concurrent", "strategy=fixed fixed.parallelism=4"),
        SIXTEEN_WORKERS("concurrent", "concurrent", "strategy=fixed fixed.parallelism=16"),
        METHODS_OF_ONE_CLASS("concurrent", "same_thread", "strategy=fixed fixed.parallelism=4"),
        AS_MANY_AS_THERE_ARE_CORES("concurrent", "concurrent", "strategy=dynamic dynamic.factor=3"),
        /** From JUnit 6.1 on; before, the same as four work-stealing threads. */
        WITHOUT_FORK_JOIN(
                "concurrent", "concurrent", "strategy=fixed fixed.parallelism=4 executor-service=worker_thread_pool");

        private static final String PREFIX = "junit.jupiter.execution.parallel.";

        private final String methods;
        private final String classes;
        private final String config;

        Pool(String methods, String classes, String config) {
            this.methods = methods;
            this.classes = classes;
            this.config = config;
        }

        static Pool of(long seed) {
            return values()[(int) Math.floorMod(seed, (long) values().length)];
        }

        Map<String, String> parameters() {
            Map<String, String> parameters = new TreeMap<>();
            parameters.put(PREFIX + "enabled", "true");
            parameters.put(PREFIX + "mode.default", methods);
            parameters.put(PREFIX + "mode.classes.default", classes);
            Arrays.stream(config.split(" ", -1))
                    .map(option -> option.split("=", 2))
                    .forEach(option -> parameters.put(PREFIX + "config." + option[0], option[1]));
            return parameters;
        }
    }

    @Test
    void ofAThousandTestCaseExactlyThoseFailThatLeak() {
        long firstSeed = Long.getLong("meshguard.seed", FIRST_SEED);
        int runs = Integer.getInteger("meshguard.runs", 2);
        System.out.println(runs + " concurrent runs from seed " + firstSeed);
        int leaking = 0;

        for (long seed = firstSeed; seed < firstSeed + runs; seed++) {
            EngineExecutionResults results = run(seed);

            SortedMap<String, SortedSet<String>> leaks = leaks(seed, results);
            leaking += leaks.size();
            assertThat(results.testEvents().finished().count()).isEqualTo(ThousandTestCase.TESTS);
            assertThat(blamed(results))
                    .as("who failed for whose buffers in %s; -Dmeshguard.seed=%d", Pool.of(seed), seed)
                    .isEqualTo(leaks);
        }

        assertThat(leaking).as("tests and classes that leak").isBetween(runs, 30 * runs);
    }

    private static EngineExecutionResults run(long seed) {
        Map<String, String> parameters = Pool.of(seed).parameters();
        parameters.put(Fate.SEED, Long.toString(seed));
        return JupiterRun.runTogether(parameters, ThousandTestCase.classes().toArray(Class<?>[]::new))
                .events();
    }

    /** Returns the failed tests, with the labels of their buffers; another failure has its text instead. */
    private static SortedMap<String, SortedSet<String>> blamed(EngineExecutionResults results) {
        SortedMap<String, SortedSet<String>> blamed = new TreeMap<>();
        for (Event event : results.allEvents().finished().list()) {
            TestExecutionResult result = event.getRequiredPayload(TestExecutionResult.class);
            if (result.getStatus() != TestExecutionResult.Status.SUCCESSFUL) {
                blamed.put(nameOf(event.getTestDescriptor()), labels(result.getThrowable()));
            }
        }
        return blamed;
    }

    private static SortedSet<String> labels(Optional<Throwable> thrown) {
        if (thrown.isPresent() && thrown.get() instanceof LeakAssertionError leak && leak.getSuppressed().length == 0) {
            return leak.verdict().survivors(survivor -> survivor.status() == SurvivorStatus.LEAKED).stream()
                    .map(survivor -> survivor.buffer().label().orElse("unlabelled"))
                    .collect(Collectors.toCollection(TreeSet::new));
        }
        return new TreeSet<>(Arrays.asList(String.valueOf(thrown.orElse(null))));
    }

    /** Returns the tests that must fail, by their own actions. */
    private static SortedMap<String, SortedSet<String>> leaks(long seed, EngineExecutionResults results) {
        SortedMap<String, SortedSet<String>> leaks = new TreeMap<>();
        for (Event event : results.allEvents().finished().list()) {
            TestDescriptor descriptor = event.getTestDescriptor();
            Fate fate = new Fate(seed, nameOf(descriptor));
            boolean isLoading = fate.name().matches(".*[$]Loading\\d]");
            if (isTestOrFactory(descriptor) ? fate.testLeaks() : isLoading && fate.classLeaks()) {
                leaks.put(fate.name(), new TreeSet<>(List.of(fate.name())));
            }
        }
        return leaks;
    }

    private static boolean isTestOrFactory(TestDescriptor descriptor) {
        return descriptor.isTest()
                || descriptor.getUniqueId().getLastSegment().getType().equals("test-factory");
    }

    private static String nameOf(TestDescriptor descriptor) {
        return descriptor.getUniqueId().toString();
    }

    /** A thousand tests of every kind, in twenty classes: with a mesh of their own, and on one of their class. */
    @SuppressWarnings({"UnusedNestedClass", "UnusedMethod"}) // JUnit finds them.
    private static final class ThousandTestCase {

        static final int TESTS = 1_000;

        private ThousandTestCase() {}

        static List<Class<?>> classes() {
            List<Class<?>> classes = new ArrayList<>(List.of(ThousandTestCase.class.getDeclaredClasses()));
            classes.removeIf(type -> Modifier.isAbstract(type.getModifiers()));
            classes.sort(Comparator.comparing(Class::getName));
            return classes;
        }

        @ExtendWith(Fate.Resolver.class)
        abstract static class Fifty {

            void meet(Fate fate, MeshDevice mesh) throws InterruptedException, ExecutionException {
                fate.fulfil(mesh);
            }

            @RepeatedTest(15)
            void repeated(Fate fate, MeshDevice mesh) throws InterruptedException, ExecutionException {
                meet(fate, mesh);
            }

            @ParameterizedTest
            @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
            void parameterized(int unused, Fate fate, MeshDevice mesh) throws InterruptedException, ExecutionException {
                meet(fate, mesh);
            }

            @TestFactory
            Stream<DynamicNode> dynamic(Fate fate, MeshDevice mesh) {
                fate.fulfil(mesh);
                return Stream.concat(
                        dynamicTests(fate, mesh, 10),
                        Stream.of(dynamicContainer("inner", dynamicTests(fate.ofChild("container", 11), mesh, 5))));
            }

            private static Stream<DynamicTest> dynamicTests(Fate around, MeshDevice mesh, int tests) {
                return IntStream.rangeClosed(1, tests)
                        .mapToObj(number -> dynamicTest(
                                "dynamic " + number,
                                () -> around.ofChild("test", number).fulfil(mesh)));
            }

            @Nested
            class Inner {
                @RepeatedTest(10)
                void nested(Fate fate, MeshDevice mesh) throws InterruptedException, ExecutionException {
                    meet(fate, mesh);
                }
            }
        }

        @TrackAllocations
        @FakeMesh(rows = 1, columns = 2)
        abstract static class Own extends Fifty {}

        static class Own1 extends Own {}

        static class Own2 extends Own {}

        static class Own3 extends Own {}

        static class Own4 extends Own {}

        @TestInstance(Lifecycle.PER_CLASS)
        @Execution(ExecutionMode.CONCURRENT)
        static class OwnOfOneInstance1 extends Own {}

        @TestInstance(Lifecycle.PER_CLASS)
        @Execution(ExecutionMode.CONCURRENT)
        static class OwnOfOneInstance2 extends Own {}

        /** On other threads than those of the pool. */
        abstract static class Helped extends Own {
            @Override
            void meet(Fate fate, MeshDevice mesh) throws InterruptedException, ExecutionException {
                FutureTask<Boolean> task = new FutureTask<>(() -> fate.fulfil(mesh), true);
                new Thread(task).start();
                task.get();
            }
        }

        static class Helped1 extends Helped {}

        static class Helped2 extends Helped {}

        @TrackAllocations(lifetime = TrackingLifetime.CLASS, accounting = Accounting.EACH_TEST)
        @FakeMesh(rows = 1, columns = 2)
        abstract static class Shared extends Fifty {}

        static class Shared1 extends Shared {}

        static class Shared2 extends Shared {}

        static class Shared3 extends Shared {}

        static class Shared4 extends Shared {}

        static class Shared5 extends Shared {}

        static class Shared6 extends Shared {}

        /** The class allocates memory, too. */
        @TrackAllocations(lifetime = TrackingLifetime.CLASS, accounting = Accounting.EACH_TEST)
        @FakeMesh(rows = 1, columns = 2)
        @TestInstance(Lifecycle.PER_CLASS)
        @Execution(ExecutionMode.CONCURRENT)
        abstract static class Loading extends Fifty {

            private @Nullable MeshBuffer weights;

            @BeforeAll
            void load(Fate fate, MeshDevice mesh) {
                weights = Buffers.take(mesh, fate.name());
            }

            @AfterAll
            void unload(Fate fate) {
                if (weights != null && !fate.classLeaks()) {
                    weights.deallocate();
                }
            }
        }

        static class Loading1 extends Loading {}

        static class Loading2 extends Loading {}

        static class Loading3 extends Loading {}

        static class Loading4 extends Loading {}

        static class Loading5 extends Loading {}

        static class Loading6 extends Loading {}
    }

    /**
     * Determines whether a test leaks, from its name and the seed of its run, so that the judge of the run knows it too.
     *
     * @param seed the seed of the run
     * @param name the engine's name of the test, class or factory; the label of a leaked buffer
     */
    private record Fate(long seed, String name) {

        /** The configuration parameter with the seed. */
        static final String SEED = "fixture.seed";

        private static final int ONE_TEST_OF = 100;
        private static final int ONE_CLASS_OF = 8;

        /** Returns the fate of a dynamic test of this factory, or of this dynamic container. */
        Fate ofChild(String kind, int number) {
            return new Fate(seed, name + "/[dynamic-" + kind + ":#" + number + "]");
        }

        boolean testLeaks() {
            return isOneOf(ONE_TEST_OF);
        }

        boolean classLeaks() {
            return isOneOf(ONE_CLASS_OF);
        }

        private boolean isOneOf(int candidates) {
            return new SplittableRandom(seed * 31 + name.hashCode()).nextInt(candidates) == 0;
        }

        /** Allocates and frees concurrently with the others; leaks if that is its fate. */
        void fulfil(MeshDevice mesh) {
            Buffers.take(mesh, name).deallocate();
            if (testLeaks()) {
                Buffers.take(mesh, name);
            }
            Buffers.take(mesh, name).deallocate();
        }

        /** Injects the fate of a test. */
        static final class Resolver implements ParameterResolver {
            @Override
            public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
                return parameter.getParameter().getType() == Fate.class;
            }

            @Override
            public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
                long seed =
                        context.getConfigurationParameter(SEED, Long::valueOf).orElseThrow();
                return new Fate(seed, context.getUniqueId());
            }
        }
    }
}
