package dev.meshguard.junit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.junit.testkit.JupiterRun;
import dev.meshguard.junit.testkit.LaunchedRun;
import dev.meshguard.junit.testkit.ThreadSteps;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.testkit.engine.Event;

/**
 * Of a thousand generated tests, some of them without annotation, no innocent one fails, whatever threads allocate for them.
 *
 * <p>Older threads, threads that tests start or bind, threads that go on after their test, and callbacks that one test registers and
 * another runs allocate through one hook of the process. A failure names its seed; {@code -Dmeshguard.seed=} with that number and {@code -Dmeshguard.runs=1} repeat it.
 */
class ThousandThreadsTests {

    private static final long FIRST_SEED = 3_000;
    private static final int CLASSES = 20;
    private static final int METHODS = 50;

    /** The tests of a class share what records their memory. */
    private static final String SHARED =
            "@TrackAllocations(lifetime = TrackingLifetime.CLASS, accounting = Accounting.EACH_TEST)\n";

    /** The ways to allocate, as code of a test. */
    private enum Way {
        OWN_THREAD("allocate(%s)", true),
        LAMBDA_ON_LOOP("onLoop(() -> ThreadSteps.allocate(%s))", true),
        LIBRARY_ON_LOOP("allocateOnLoop(%s)", false),
        LAMBDA_ON_THREAD("onThread(() -> ThreadSteps.allocate(%s))", true),
        LAMBDA_ON_TIMER("onTimer(() -> ThreadSteps.allocate(%s))", true),
        LAMBDA_WITH_TIMEOUT("withTimeout(() -> ThreadSteps.allocate(%s))", true),
        LAMBDA_IN_FUTURE("inFuture(() -> ThreadSteps.allocate(%s))", true),
        LIBRARY_IN_FUTURE("allocateInFuture(%s)", false),
        LAMBDA_IN_STREAM("inParallelStream(() -> ThreadSteps.allocate(%s))", true),
        LAMBDA_ON_BOUND_LOOP("onBoundLoop(threads, () -> ThreadSteps.allocate(%s))", true),
        LIBRARY_ON_BOUND_LOOP("allocateOnBoundLoop(threads, %s)", true),
        CALLBACK("listen(() -> ThreadSteps.allocateInCallback(\"%2$s\", %1$s))", false),
        LATE_LAMBDA("late(() -> ThreadSteps.allocate(%s))", false),
        LATE_LIBRARY("allocateLate(%s)", false);

        private final String code;
        /** Whether it is certain whose the memory is. */
        private final boolean isCertain;

        Way(String code, boolean isCertain) {
            this.code = code;
            this.isCertain = isCertain;
        }

        boolean isBound() {
            return this == LAMBDA_ON_BOUND_LOOP || this == LIBRARY_ON_BOUND_LOOP;
        }

        boolean isLate() {
            return this == LATE_LAMBDA || this == LATE_LIBRARY;
        }
    }

    /** The source of the tests of a seed, and what they leak. */
    private static final class Program {

        private final List<JavaFileObject> sources = new ArrayList<>();
        private final Set<String> leaking = new TreeSet<>();
        private final Set<String> certainlyLeaking = new TreeSet<>();
        /** Those that leak or leave a thread, which may free memory after the end of the test. */
        private final Set<String> blamable = new TreeSet<>();

        /** The containers that may fail for memory of no test: the run, and classes whose tests share a tracker. */
        private final Set<String> containers = new TreeSet<>(Set.of("JUnit Jupiter"));

        private final boolean areTrackedLeaking;

        /** Creates tests; if the tracked ones do not leak, the others do on their own threads only. */
        Program(long seed, boolean areTrackedLeaking) {
            this.areTrackedLeaking = areTrackedLeaking;
            Random random = new Random(seed);
            IntStream.range(0, CLASSES).forEach(number -> addClass("Generated" + number, random));
        }

        private void addClass(String name, Random random) {
            boolean isTracked = random.nextInt(4) > 0;
            boolean isShared = isTracked && random.nextInt(3) == 0;
            StringBuilder code =
                    new StringBuilder("import dev.meshguard.junit.*;\nimport dev.meshguard.junit.testkit.*;\n"
                            + (isShared ? SHARED : "") + "class " + name + " {\n");
            if (isShared) {
                containers.add(name);
            }
            if (isTracked) {
                code.append("""
                        @org.junit.jupiter.api.extension.RegisterExtension
                        static final MeshGuardExtension guard = LibraryTestCase.guard();
                        """);
            }
            for (int method = 0; method < METHODS; method++) {
                boolean isRepeated = random.nextInt(10) == 0;
                code.append("@org.junit.jupiter.api." + (isRepeated ? "RepeatedTest(2)" : "Test") + " void test"
                        + method + (isTracked ? "(TestThreads threads)" : "()")
                        + " throws Exception {\nThreadSteps.begin();\n");
                if (isTracked && random.nextBoolean()) {
                    code.append(
                            random.nextBoolean()
                                    ? "ThreadSteps.complete();\n"
                                    : "ThreadSteps.completeOnBoundLoop(threads);\n");
                }
                for (int step = random.nextInt(4); step > 0; step--) {
                    addStep(code, isTracked ? name + "#test" + method : "", isRepeated, random);
                }
                code.append("}\n");
            }
            sources.add(
                    new SimpleJavaFileObject(URI.create("string:///" + name + ".java"), JavaFileObject.Kind.SOURCE) {
                        @Override
                        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                            return code + "}\n";
                        }
                    });
        }

        private void addStep(StringBuilder code, String test, boolean isRepeated, Random random) {
            Way any = Way.values()[random.nextInt(Way.values().length)];
            boolean isPossible =
                    !test.isEmpty() ? areTrackedLeaking || !any.isLate() : areTrackedLeaking && !any.isBound();
            Way way = isPossible ? any : Way.OWN_THREAD;
            boolean leaks = random.nextInt(test.isEmpty() ? 4 : 40) == 0 && (areTrackedLeaking || test.isEmpty());
            if (!test.isEmpty() && (leaks || way.isLate())) {
                blamable.add(test);
            }
            code.append("ThreadSteps.").append(way.code.formatted(leaks, test)).append(";\n");
            if (leaks && !test.isEmpty()) {
                if (way != Way.CALLBACK) {
                    leaking.add(test);
                }
                if (way.isCertain && (way == Way.OWN_THREAD || way.isBound() || !isRepeated)) {
                    certainlyLeaking.add(test);
                }
            }
        }

        void compile(Path folder) {
            JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
            List<String> options =
                    List.of("-proc:none", "-d", folder.toString(), "-cp", System.getProperty("java.class.path"));
            assertThat(compiler.getTask(null, null, null, options, null, sources)
                            .call())
                    .isTrue();
        }

        /** Returns the classes of a folder, each time others. */
        static Class<?>[] load(Path folder) {
            try {
                URLClassLoader loader = new URLClassLoader(
                        new URL[] {folder.toUri().toURL()}, ThousandThreadsTests.class.getClassLoader());
                Class<?>[] types = new Class<?>[CLASSES];
                for (int number = 0; number < CLASSES; number++) {
                    types[number] = loader.loadClass("Generated" + number);
                }
                return types;
            } catch (MalformedURLException | ClassNotFoundException unexpected) {
                throw new IllegalStateException(unexpected);
            }
        }
    }

    /** The failed tests, and whether anything else failed. */
    private static final class Failures implements TestExecutionListener {

        private final Set<String> tests = new ConcurrentSkipListSet<>();
        private final Set<String> others = new ConcurrentSkipListSet<>();

        @Override
        public void executionFinished(TestIdentifier test, TestExecutionResult result) {
            if (result.getStatus() == TestExecutionResult.Status.SUCCESSFUL) {
                return;
            }
            if (test.getSource().orElse(null) instanceof MethodSource method) {
                tests.add(method.getClassName() + "#" + method.getMethodName());
            } else {
                others.add(test.getDisplayName());
            }
        }
    }

    @Test
    void noInnocentTestFails(@TempDir Path folder) throws Exception {
        for (long seed : seeds()) {
            Program program = new Program(seed, true);
            program.compile(folder);
            for (String mode : List.of("same_thread", "concurrent")) {
                String run = mode + ", -Dmeshguard.seed=" + seed;
                Class<?>[] classes = Program.load(folder);
                Failures failures = new Failures();
                runWithLoops(() -> LaunchedRun.launcher(failures).run(parameters(mode), classes));

                assertThat(program.blamable).as(run).containsAll(failures.tests);
                assertThat(failures.tests).as(run).containsAll(program.certainlyLeaking);
                assertThat(program.containers).as(run).containsAll(failures.others);
                Set<String> leaking = new TreeSet<>(program.leaking);
                leaking.addAll(ThreadSteps.leakedByCallbacks());
                for (String test : leaking) {
                    if (!failures.tests.contains(test)) {
                        assertThat(failures.others).as(run).containsAnyOf("JUnit Jupiter", test.replaceAll("#.*", ""));
                    }
                }
            }
        }
    }

    /** Without a listener that announces them, JUnit's frames on the stack show these tests. */
    @Test
    void aLeakOfATestWithoutAnnotationFailsNothing(@TempDir Path folder) throws Exception {
        for (long seed : seeds()) {
            new Program(seed, false).compile(folder);
            Failures failures = new Failures();
            List<Event> failed = new ArrayList<>();

            runWithLoops(() -> LaunchedRun.launcher(failures).run(parameters("concurrent"), Program.load(folder)));
            runWithLoops(() -> failed.addAll(JupiterRun.runTogether(parameters("concurrent"), Program.load(folder))
                    .events()
                    .allEvents()
                    .failed()
                    .list()));

            assertThat(failures.tests).as("-Dmeshguard.seed=%d", seed).isEmpty();
            assertThat(failures.others).as("-Dmeshguard.seed=%d", seed).isEmpty();
            assertThat(failed).as("-Dmeshguard.seed=%d", seed).isEmpty();
        }
    }

    private static long[] seeds() {
        long first = Long.getLong("meshguard.seed", FIRST_SEED);
        return LongStream.range(first, first + Integer.getInteger("meshguard.runs", 1))
                .toArray();
    }

    private static void runWithLoops(Runnable run) throws Exception {
        ThreadSteps.startLoops();
        try {
            run.run();
        } finally {
            ThreadSteps.stopLoops();
        }
    }

    private static Map<String, String> parameters(String mode) {
        Map<String, String> parameters = new HashMap<>(JupiterRun.CONCURRENTLY);
        parameters.put("meshguard.page", "off");
        parameters.put("junit.jupiter.execution.parallel.mode.default", mode);
        return parameters;
    }
}
