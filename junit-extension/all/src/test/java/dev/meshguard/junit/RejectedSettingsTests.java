package dev.meshguard.junit;

import static dev.meshguard.junit.Accounting.AT_THE_END;
import static dev.meshguard.junit.Accounting.EACH_TEST;
import static dev.meshguard.junit.AllocationCheck.CLEAN;
import static dev.meshguard.junit.AllocationCheck.NONE;
import static dev.meshguard.junit.AllocationCheck.NO_LEAKS;
import static dev.meshguard.junit.TrackingLifetime.CLASS;
import static dev.meshguard.junit.TrackingLifetime.TEST;
import static dev.meshguard.junit.testkit.JupiterRun.run;
import static dev.meshguard.junit.testkit.JupiterRun.runTest;
import static dev.meshguard.junit.testkit.RunAssert.assertThat;
import static dev.meshguard.tracker.OriginCapture.ALLOCATIONS_AND_FREES;

import dev.meshguard.event.BufferType;
import dev.meshguard.junit.OwnSourceTests.TrackLeak;
import dev.meshguard.junit.mesh.FailEachAllocation;
import dev.meshguard.junit.mesh.FakeMesh;
import dev.meshguard.junit.mesh.FakeMeshSource;
import dev.meshguard.junit.processes.WatchedProcesses;
import dev.meshguard.junit.template.RepeatUntilStable;
import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.junit.testkit.JupiterRun;
import dev.meshguard.junit.testkit.RunAssert;
import dev.meshguard.junit.testkit.Runs;
import dev.meshguard.junit.testkit.WithFixtures;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.runtime.Architecture;
import dev.meshguard.mesh.runtime.ReportingModel;
import dev.meshguard.mesh.runtime.RuntimePreset;
import dev.meshguard.tracker.OriginCapture;
import dev.meshguard.verdict.budget.BudgetSpec;
import dev.meshguard.verdict.expectation.Expectation;
import java.io.IOException;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** An invalid setting is rejected with its location, the value and the allowed values. */
class RejectedSettingsTests implements WithFixtures {

    /** The place is that of the test, unless it names one. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            NoRows                    | @FakeMesh         | rows = 0 is rejected. Give 1 or more; a mesh has at most 32 devices.
            NoColumns                 | @FakeMesh         | columns = -1 is rejected. Give 1 or more; a mesh has at most 32 devices.
            TooLarge                  | @FakeMesh         | rows = 8, columns = 5 is rejected. The largest system has 32 devices (8x4): ask for at most 32.
            UnknownArchitecture       | @FakeMesh         | architecture = BLACKHOLE, preset = OCTOBER_2025 is rejected. The constants of BLACKHOLE are known for MAY_2026 only.
            NegativeRegion            | @FakeMesh         | traceRegionSize = -1 is rejected. Give a number of bytes, 0 or more.
            ThreeQueues               | @FakeMesh         | numCommandQueues = 3 is rejected. A mesh has 1 or 2.
            TwoModels                 | @FakeMesh         | reporting = [COMPLETE, TRACKING_BRANCH] is rejected. Give at most one.
            NoReason                  | @ExpectBuffers    | because = " " is rejected. Say why the buffers are expected.
            Pasted                    | @ExpectBuffers    | because = "…" is rejected. Say why the buffers are expected.
            TwoTypes                  | @ExpectBuffers    | type = [L1, DRAM] is rejected. Give at most one; write an entry for each type.
            NegativeDevice            | @ExpectBuffers    | device = -1 is rejected. Give 0 or more, or leave it out to allow any.
            NegativeDevices           | @ExpectBuffers    | devices = -1 is rejected. Give 0 or more, or leave it out to allow any.
            NegativeSize              | @ExpectBuffers    | size = -1 is rejected. Give 0 or more, or leave it out to allow any.
            NegativeAtMost            | @ExpectBuffers    | atMost = -1 is rejected. Give 0 or more, or leave it out to allow any.
            NegativeAtLeast           | @ExpectBuffers    | atLeast = -1 is rejected. Give 0 or more, or leave it out to allow any.
            NegativeExactly           | @ExpectBuffers    | exactly = -1 is rejected. Give 0 or more, or leave it out to allow any.
            SeveralSizes              | @ExpectBuffers    | size = [64, 128] is rejected. Give at most one.
            TwoBounds                 | @ExpectBuffers    | exactly and atMost is rejected. Give exactly or atMost.
            ExactlyAndAtLeast         | @ExpectBuffers    | exactly and atLeast is rejected. Give exactly or atLeast.
            TwoDevices                | @ExpectBuffers    | device and devices is rejected. Give device or devices.
            Backwards                 | @ExpectBuffers    | atLeast = 8, atMost = 2 is rejected. Let atLeast be at most atMost.
            NoDay                     | @ExpectBuffers    | An expected buffer's until is the last day on which it is expected, as an ISO date like 2026-12-31: "next year" was given.
            Line                      | @ExpectBuffers    | An expected buffer's origin is a class, a method or a package, for example KvCacheTest, KvCacheTest.weights or dev.example.model.*: "Model.java:12" was given.
            NegativePeak              | @MemoryBudget     | peakBytes = -1 is rejected. Give 0 or more, or leave it out to allow any.
            TwoLimits                 | @MemoryBudget     | buffers = [1, 2] is rejected. Give at most one.
            NoLimit                   | @MemoryBudget     | a budget without a limit is rejected. Give peakBytes, liveBytes, buffers or largestFreeBlock.
            BudgetTwice               | @MemoryBudget     | type = L1 a second time is rejected. Put all limits for one memory into one budget.
            BudgetOfNegativeDevice    | @MemoryBudget     | device = -1 is rejected. Give 0 or more, or leave it out for each device.
            OfMethod#noRows           | @FakeMesh         | rows = 0 is rejected. Give 1 or more; a mesh has at most 32 devices.
            OfMethod#lastsForClass    | @TrackAllocations | lifetime = CLASS is rejected. On a method only TEST has a meaning: put CLASS on the class.
            OfMethod#twoSources       | @FakeMesh on OfMethod#twoSources and @WatchedProcesses on OfMethod#twoSources | a second source of allocations is rejected. A test has one source: remove an annotation, or put each on a test or class of its own.
            TwoInterfaces             | @FakeMesh on OnMesh and @WatchedProcesses on OnProcesses | a second source of allocations is rejected. A test has one source: remove an annotation, or put each on a test or class of its own.
            LateEntryOfTest           | MeshGuardExtension in LateEntry | a source, an entry or a budget in an instance field beside an annotation is rejected. JUnit reads the field after the memory of the test has begun: make the field static.
            LateEntryOfClass          | MeshGuardExtension in LateEntry | a source, an entry or a budget in an instance field beside an annotation is rejected. JUnit reads the field after the memory of the test has begun: make the field static.
            LateEntryOfEachTest       | MeshGuardExtension in LateEntry | a source, an entry or a budget in an instance field beside an annotation is rejected. JUnit reads the field after the memory of the test has begun: make the field static.
            LateBudget                | MeshGuardExtension in LateBudget | a source, an entry or a budget in an instance field beside an annotation is rejected. JUnit reads the field after the memory of the test has begun: make the field static.
            LateSource                | MeshGuardExtension in LateSource | a source, an entry or a budget in an instance field beside an annotation is rejected. JUnit reads the field after the memory of the test has begun: make the field static.
            OfClass#mesh              | @FakeMesh         | a source for one method of a class with lifetime = CLASS is rejected. Put it on the class, or let the lifetime of this method be TEST.
            OfClass#additionalSource  | @TrackLeak        | a source for one method of a class with lifetime = CLASS is rejected. Put it on the class, or let the lifetime of this method be TEST.
            OfClass#entry             | @ExpectBuffers    | an entry for one method of a mesh with lifetime = CLASS is rejected. Put it on the class, or let the mesh last for one test.
            OfClass#budget            | @MemoryBudget     | a budget for one method of a mesh with lifetime = CLASS is rejected. Put it on the class, or let the mesh last for one test.
            OfClass$Inner             | @ExpectBuffers    | an entry for a nested class that shares a mesh with lifetime = CLASS is rejected. Put it on OfClass.
            OfClass#faults            | @FailEachAllocation | lifetime = CLASS is rejected. Its invocations need a mesh that no other test uses: let the lifetime be TEST.
            OfClass#rounds            | @RepeatUntilStable  | lifetime = CLASS is rejected. Its invocations need a mesh that no other test uses: let the lifetime be TEST.
            OnPrograms#rounds         | @RepeatUntilStable  | @WatchedProcesses is rejected. Its invocations need a source that reports to the tracker of the test, for example a mesh in this process.
            Template#noAllocation     | @FailEachAllocation | limit = 0 is rejected. Give 1 or more.
            Template#besideTest       | @FailEachAllocation | @Test beside it is rejected. It makes a test of the method by itself: leave the other one out.
            Template#besideRepetition | @FailEachAllocation | @RepeatedTest beside it is rejected. It makes a test of the method by itself: leave the other one out.
            Template#besideComposed   | @RepeatUntilStable  | @FailEachAllocation beside it is rejected. It makes a test of the method by itself: leave the other one out.
            Template#negativeWarmUp   | @RepeatUntilStable  | warmUp = -1 is rejected. Give 0 or more.
            Template#noRounds         | @RepeatUntilStable  | atLeast = 0 is rejected. Give 1 or more.
            Template#tooFewRounds     | @RepeatUntilStable  | atMost = 6 is rejected. With warmUp = 5 and atLeast = 3 there are 7 rounds before anything is decided: give as many or more.
            Template#endlessWarmUp    | @RepeatUntilStable  | atMost = 20 is rejected. With warmUp = 2147483647 and atLeast = 3 there are 2147483649 rounds before anything is decided: give as many or more.
            Template#concurrent       | @FailEachAllocation | @Execution(CONCURRENT) is rejected. Each invocation depends on the one before: leave it out; other tests may still run at the same time.
            """)
    void anAnnotation(String test, String place, String refusal) throws ClassNotFoundException {
        assertRejected(test, (place.contains(" ") ? place : place + " on " + test) + ": " + refusal);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            OfClass#withoutCheck          | OfClass                 | check = CLEAN
            OfClass#withoutAccounting     | OfClass                 | accounting = AT_THE_END
            CapturingFrees#withoutOrigins | CapturingFrees          | origins = ALLOCATIONS_AND_FREES
            LenientAndWaiting#withoutBoth | LenientAndWaiting       | check = NO_LEAKS, grace = "2 s"
            OfShared#withoutBoth          | Shared                  | lifetime = CLASS, accounting = EACH_TEST
            OfShared#withoutOrigins       | Shared                  | origins = ALLOCATIONS
            """)
    void aMethodThatLeavesOutOrReplacesWhatItsClassSets(String test, String setter, String attributes)
            throws ClassNotFoundException {
        assertRejected(
                test,
                "@TrackAllocations on " + test + ": leaving out " + attributes + " of @TrackAllocations on " + setter
                        + " is rejected. The annotation of a method counts as a whole: repeat " + attributes
                        + " there, or give the test a mesh of its own with lifetime = TEST.");
    }

    private static void assertRejected(String test, String message) throws ClassNotFoundException {
        String[] parts = test.split("#", 2);
        String tests = RejectedSettingsTests.class.getName() + "$";
        String method = parts.length == 1 ? "test" : parts[1];
        assertThat(runTest(Class.forName(tests + parts[0]), method, JupiterRun.CONCURRENTLY))
                .hasFailureOf(method)
                .with(
                        ExtensionConfigurationException.class,
                        message.replaceAll(" (on|in) (?=[A-Z])", " $1 RejectedSettingsTests\\$"));
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            check       | CLEAN       | It is clean, no-leaks, only-expected-system-buffers or none.
            origins     | always      | It is none, allocations or allocations-and-frees.
            grace       | soon        | Give a number with ms, s or m, for example "250 ms" or "2 s"; at most 10 m.
            page        | sometimes   | It is off, failures or always.
            findings    | a\0b        | It is no path here: Nul character not allowed.
            page.folder | a\0b        | It is no path here: Nul character not allowed.
            summary     | OFF         | It is off, failures or always.
            baseline    | known\0.txt | It is no path here: Nul character not allowed.
            """)
    void aParameter(String name, String value, String allowed) {
        assertRejected(
                run(Plain.class, Map.of("meshguard." + name, value)),
                "meshguard." + name + " = " + value + " is rejected. " + allowed);
    }

    @Test
    void theBuilderRejectsImmediately() {
        FakeMeshSource.Builder builder = FakeMeshSource.builder().mesh(0, 4);

        Assertions.assertThatExceptionOfType(ExtensionConfigurationException.class)
                .isThrownBy(builder::build)
                .withMessage("FakeMeshSource: rows = 0 is rejected. Give 1 or more; a mesh has at most 32 devices.");
    }

    @Test
    void asThePageOnConfigurationShows(@TempDir Path folder) throws Exception {
        Files.writeString(folder.resolve("junit-platform.properties"), "meshguard.orgins = none\n");

        assertRejected(run(Plain.class, Map.of("meshguard.check", "all")), shown("meshguard.check = "));
        assertRejected(
                "OfMethod#graceWithoutNumber",
                shown("@TrackAllocations on KvCacheTest#decode: ")
                        .replace("KvCacheTest#decode", "OfMethod#graceWithoutNumber"));
        assertRejected(
                "OfShared#withoutBoth",
                shown("@TrackAllocations on KvCacheTest#decode: leaving out")
                        .replace("KvCacheTest#decode", "OfShared#withoutBoth")
                        .replace("KvCacheTest", "Shared"));
        assertRejected(
                runWith(folder, Map.of("meshguard.orgins", "none")), shown("junit-platform.properties: meshguard"));
    }

    private static void assertRejected(RunAssert.Results results, String message) {
        assertThat(results).hasSingleTest().whichFailed().with(ExtensionConfigurationException.class, message);
    }

    private static String shown(String start) throws IOException {
        return Files.readString(Path.of("..", "..", "docs").resolve("configuration.md"))
                .lines()
                .filter(line -> line.startsWith(start))
                .findFirst()
                .orElseThrow();
    }

    private static RunAssert.Results runWith(Path classPath, Map<String, String> parameters)
            throws MalformedURLException, IOException {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        try (URLClassLoader loader =
                new URLClassLoader(new URL[] {classPath.toUri().toURL()}, before)) {
            thread.setContextClassLoader(loader);
            return run(Plain.class, parameters);
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    @TrackAllocations
    static class Plain {

        @Test
        void test() {}
    }

    @FakeMesh(rows = 0)
    static class NoRows extends Plain {}

    @FakeMesh(columns = -1)
    static class NoColumns extends Plain {}

    @FakeMesh(rows = 8, columns = 5)
    static class TooLarge extends Plain {}

    @FakeMesh(architecture = Architecture.BLACKHOLE, preset = RuntimePreset.OCTOBER_2025)
    static class UnknownArchitecture extends Plain {}

    @FakeMesh(traceRegionSize = -1)
    static class NegativeRegion extends Plain {}

    @FakeMesh(numCommandQueues = 3)
    static class ThreeQueues extends Plain {}

    @FakeMesh(reporting = {ReportingModel.COMPLETE, ReportingModel.TRACKING_BRANCH})
    static class TwoModels extends Plain {}

    @ExpectBuffers(because = " ")
    static class NoReason extends Plain {}

    @ExpectBuffers(because = "…")
    static class Pasted extends Plain {}

    @ExpectBuffers(
            type = {BufferType.L1, BufferType.DRAM},
            because = "both")
    static class TwoTypes extends Plain {}

    @ExpectBuffers(device = -1, because = "less than none")
    static class NegativeDevice extends Plain {}

    @ExpectBuffers(devices = -1, because = "less than none")
    static class NegativeDevices extends Plain {}

    @ExpectBuffers(size = -1, because = "less than none")
    static class NegativeSize extends Plain {}

    @ExpectBuffers(atMost = -1, because = "less than none")
    static class NegativeAtMost extends Plain {}

    @ExpectBuffers(atLeast = -1, because = "less than none")
    static class NegativeAtLeast extends Plain {}

    @ExpectBuffers(exactly = -1, because = "less than none")
    static class NegativeExactly extends Plain {}

    @ExpectBuffers(
            size = {64, 128},
            because = "two sizes")
    static class SeveralSizes extends Plain {}

    @ExpectBuffers(exactly = 8, atLeast = 8, because = "both")
    static class ExactlyAndAtLeast extends Plain {}

    @ExpectBuffers(exactly = 8, atMost = 8, because = "both")
    static class TwoBounds extends Plain {}

    @ExpectBuffers(
            device = 0,
            devices = {1, 2},
            because = "both")
    static class TwoDevices extends Plain {}

    @ExpectBuffers(atLeast = 8, atMost = 2, because = "backwards")
    static class Backwards extends Plain {}

    @ExpectBuffers(until = "next year", because = "later")
    static class NoDay extends Plain {}

    @ExpectBuffers(origin = "Model.java:12", because = "there")
    static class Line extends Plain {}

    @MemoryBudget(type = BufferType.DRAM, peakBytes = -1)
    static class NegativePeak extends Plain {}

    @MemoryBudget(
            type = BufferType.DRAM,
            buffers = {1, 2})
    static class TwoLimits extends Plain {}

    @MemoryBudget(type = BufferType.DRAM)
    static class NoLimit extends Plain {}

    @MemoryBudget(type = BufferType.L1, peakBytes = 1)
    @MemoryBudget(type = BufferType.L1, buffers = 1)
    static class BudgetTwice extends Plain {}

    @MemoryBudget(type = BufferType.L1, device = -1, peakBytes = 1)
    static class BudgetOfNegativeDevice extends Plain {}

    abstract static class LateEntry extends Plain {

        @RegisterExtension
        final MeshGuardExtension guard = MeshGuardExtension.builder()
                .expecting(Expectation.because("kept").label("cache"))
                .build();
    }

    static class LateEntryOfTest extends LateEntry {}

    @TrackAllocations(lifetime = CLASS)
    static class LateEntryOfClass extends LateEntry {}

    @TrackAllocations(lifetime = CLASS, accounting = EACH_TEST)
    static class LateEntryOfEachTest extends LateEntry {}

    static class LateBudget extends Plain {

        @RegisterExtension
        final MeshGuardExtension guard = MeshGuardExtension.builder()
                .within(BudgetSpec.of(BufferType.DRAM).peakBytes(1))
                .build();
    }

    static class LateSource extends Plain {

        @RegisterExtension
        final MeshGuardExtension guard = MeshGuardExtension.builder()
                .source(FakeMeshSource.builder().mesh(1, 2).build())
                .build();
    }

    @FakeMesh
    interface OnMesh {}

    @WatchedProcesses
    interface OnProcesses {}

    static class TwoInterfaces extends Plain implements OnMesh, OnProcesses {}

    static class OfMethod {

        @Test
        @FakeMesh(rows = 0)
        void noRows() {}

        @Test
        @TrackAllocations(lifetime = CLASS)
        void lastsForClass() {}

        @Test
        @TrackAllocations(grace = "soon")
        void graceWithoutNumber() {}

        @Test
        @FakeMesh
        @WatchedProcesses
        void twoSources(MeshDevice mesh) {}
    }

    @TrackAllocations(lifetime = CLASS)
    static class OfClass {

        @Test
        @FakeMesh(rows = 1)
        void mesh(MeshDevice mesh) {}

        @Test
        @TrackLeak("method")
        void additionalSource() {}

        @Test
        @ExpectBuffers(label = "weights", because = "shared")
        void entry(MeshDevice mesh) {}

        @Test
        @MemoryBudget(type = BufferType.L1, peakBytes = 1)
        void budget() {}

        @FailEachAllocation
        void faults(MeshDevice mesh) {}

        @RepeatUntilStable
        void rounds(MeshDevice mesh) {}

        @Test
        @TrackAllocations(lifetime = CLASS, check = NONE)
        void withoutCheck() {}

        @Test
        @TrackAllocations(lifetime = CLASS, accounting = EACH_TEST)
        void withoutAccounting(MeshDevice mesh) {}

        @Nested
        @ExpectBuffers(label = "weights", because = "shared")
        class Inner {

            @Test
            void test(MeshDevice mesh) {}
        }
    }

    @TrackAllocations(lifetime = CLASS, accounting = EACH_TEST, origins = ALLOCATIONS_AND_FREES)
    static class CapturingFrees {

        @Test
        @TrackAllocations(lifetime = CLASS, accounting = EACH_TEST, check = NONE)
        void withoutOrigins() {}
    }

    @TrackAllocations(lifetime = CLASS, check = NO_LEAKS, grace = "2 s")
    static class LenientAndWaiting {

        @Test
        @TrackAllocations(lifetime = CLASS)
        void withoutBoth() {}
    }

    @TrackAllocations(lifetime = CLASS, grace = "2 s")
    static class SamePoliciesTestCase {

        @Test
        @TrackAllocations(lifetime = CLASS, accounting = AT_THE_END, check = CLEAN, grace = "2000 ms")
        void acceptsTheSamePoliciesInOtherWords() {}
    }

    @TrackAllocations(lifetime = TEST, accounting = AT_THE_END)
    static class LifetimeOfTestTestCase {

        @Test
        @TrackAllocations(check = NO_LEAKS)
        void acceptsOtherPoliciesOfAMeshOfItsOwn() {}
    }

    @TrackAllocations(lifetime = CLASS, accounting = EACH_TEST)
    interface Shared {}

    static class OfShared implements Shared {

        @Test
        @TrackAllocations(check = NO_LEAKS)
        void withoutBoth(MeshDevice mesh) {}

        @Test
        @TrackAllocations(lifetime = CLASS, accounting = EACH_TEST, origins = OriginCapture.NONE)
        void withoutOrigins() {}
    }

    @WatchedProcesses
    static class OnPrograms {

        @RepeatUntilStable
        void rounds() {}
    }

    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.METHOD)
    @RepeatUntilStable
    @FailEachAllocation
    @interface Both {}

    @TrackAllocations
    static class Template {

        @FailEachAllocation(limit = 0)
        void noAllocation(MeshDevice mesh) {}

        @Test
        @FailEachAllocation
        void besideTest(MeshDevice mesh) {}

        @RepeatedTest(2)
        @FailEachAllocation
        void besideRepetition(MeshDevice mesh) {}

        @Both
        void besideComposed(MeshDevice mesh) {}

        @RepeatUntilStable(warmUp = -1)
        void negativeWarmUp(MeshDevice mesh) {}

        @RepeatUntilStable(atLeast = 0)
        void noRounds(MeshDevice mesh) {}

        @RepeatUntilStable(warmUp = 5, atMost = 6)
        void tooFewRounds(MeshDevice mesh) {}

        @RepeatUntilStable(warmUp = Integer.MAX_VALUE)
        void endlessWarmUp() {}

        @FailEachAllocation
        @Execution(ExecutionMode.CONCURRENT)
        void concurrent(MeshDevice mesh) {}
    }

    @TrackAllocations(lifetime = TrackingLifetime.DEFAULT)
    static class DefaultLifetimeTestCase {

        @FailEachAllocation
        @Runs(2)
        void acceptsTheDefaultLifetimeOfATemplate(MeshDevice mesh) {
            Buffers.take(mesh).deallocate();
        }
    }
}
