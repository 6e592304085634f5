package dev.meshguard.junit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.assertions.LeakAssertionError;
import dev.meshguard.junit.testkit.JupiterRun;
import dev.meshguard.verdict.SurvivorStatus;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
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
        TWO_WORKERS("same_thread", "concurrent", "fixed", "fixed.parallelism", "2"),
        FOUR_WORKERS("concurrent", "concurrent", "fixed", "fixed.parallelism", "4"),
        SIXTEEN_WORKERS("concurrent", "concurrent", "fixed", "fixed.parallelism", "16"),
        METHODS_OF_ONE_CLASS("concurrent", "same_thread", "fixed", "fixed.parallelism", "4"),
        AS_MANY_AS_THERE_ARE_CORES("concurrent", "concurrent", "dynamic", "dynamic.factor", "3"),
        /** From JUnit 6.1 on; before, the same as four work-stealing threads. */
        WITHOUT_FORK_JOIN("concurrent", "concurrent", "fixed", "fixed.parallelism", "4") {
            @Override
            Map<String, String> parameters() {
                Map<String, String> parameters = super.parameters();
                parameters.put(PREFIX + "config.executor-service", "worker_thread_pool");
                return parameters;
            }
        };

        private static final String PREFIX = "junit.jupiter.execution.parallel.";

        private final String methods;
        private final String classes;
        private final String strategy;
        private final String option;
        private final String value;

        Pool(String methods, String classes, String strategy, String option, String value) {
            this.methods = methods;
            this.classes = classes;
            this.strategy = strategy;
            this.option = option;
            this.value = value;
        }

        static Pool of(long seed) {
            return values()[(int) Math.floorMod(seed, (long) values().length)];
        }

        Map<String, String> parameters() {
            Map<String, String> parameters = new TreeMap<>();
            parameters.put(PREFIX + "enabled", "true");
            parameters.put(PREFIX + "mode.default", methods);
            parameters.put(PREFIX + "mode.classes.default", classes);
            parameters.put(PREFIX + "config.strategy", strategy);
            parameters.put(PREFIX + "config." + option, value);
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
}
