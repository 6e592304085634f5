package dev.meshguard.junit;

import static dev.meshguard.junit.testkit.JupiterRun.run;
import static dev.meshguard.junit.testkit.JupiterRun.runTest;
import static dev.meshguard.junit.testkit.RunAssert.assertThat;

import dev.meshguard.assertions.BudgetAssertionError;
import dev.meshguard.assertions.LeakAssertions;
import dev.meshguard.event.BufferType;
import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.tracker.AllocationTracker;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.opentest4j.MultipleFailuresError;

/** {@link MemoryBudget} limits the memory of a test, and names the top consumers. */
class MemoryBudgetTests {

    @Test
    void aPeakOverTheBudgetFailsTheTestAndSaysWhoHeldIt() {
        var results = run(PeakTestCase.class);

        assertThat(results)
                .hasSingleTest()
                .whichFailed()
                .with(BudgetAssertionError.class)
                .withFirstFrameIn(PeakTestCase.class, "decode")
                .withTextContaining(
                        "1. DRAM of devices 0-7: peak 4 KiB (4096 B), 96 B over the budget of 3.91 KiB (4000 B)")
                .withTextContaining("held 4 KiB (4096 B) in 1 buffer: DRAM from MemoryBudgetTests$PeakTestCase.decode")
                .withTextContaining("rerun   mvn test -Dtest='MemoryBudgetTests$PeakTestCase#decode'");
    }

    @Test
    void whatKeepsToItsBudgetsPasses() {
        assertThat(run(WithinTestCase.class)).hasOnlySucceeded(1);
    }

    @Test
    void theBudgetOfAMethodReplacesThatOfItsClassForTheSameMemory() {
        assertThat(run(NearestTestCase.class)).hasOnlySucceeded(1);
    }

    @Test
    void theBudgetOfAClassHoldsForEachOfItsTests() {
        assertThat(run(ClassTestCase.class)).hasSingleTest().whichFailed().with(BudgetAssertionError.class);
    }

    @Test
    void anExtensionInAFieldMayHaveBudgetsToo() {
        assertThat(run(FieldTestCase.class)).hasSingleTest().whichFailed().with(BudgetAssertionError.class);
    }

    @Test
    void reportsALeakAndABudgetViolationOnceEach() {
        assertThat(run(LeakAndPeakTestCase.class))
                .hasSingleTest()
                .whichFailed()
                .with(MultipleFailuresError.class)
                .withTextContaining("The memory check failed (2 failures)")
                .withTextContaining("LEAK  ")
                .withTextContaining("OVER BUDGET  1 limit of 1 budget not met");
    }

    @Test
    void doesNotRepeatWhatTheTestAssertedItself() {
        assertThat(run(AssertedTestCase.class))
                .hasSingleTest()
                .whichFailed()
                .with(BudgetAssertionError.class)
                .withNothingSuppressed();
    }

    @Test
    void publishesAViolationWhereTheTestFailsForAnotherReason() {
        assertThat(run(FailingTestCase.class))
                .hasSingleTest()
                .whichFailed()
                .with(IllegalStateException.class, "another reason")
                .withPublishedTextContaining("OVER BUDGET  1 limit of 1 budget not met");
    }

    @Test
    void howFreeMemoryLiesIsReadWhenTheTestMethodHasEnded() {
        assertThat(run(FreeBlockTestCase.class))
                .hasSingleTest()
                .whichFailed()
                .withTextContaining("DRAM of devices 0-7: largest free block");
    }

    @Test
    void howFreeMemoryLiesCannotBeReadOfAMeshThatIsClosed() {
        assertThat(run(ClosedTestCase.class))
                .hasSingleTest()
                .whichFailed()
                .withTextContaining("BUDGET NOT CHECKED  1 limit of 1 budget cannot be checked");
    }

    @Test
    void aBudgetForADeviceThatNoMeshHasFailsWithTheDevicesOfTheMesh() {
        assertThat(run(AbsentDeviceTestCase.class))
                .hasSingleTest()
                .whichFailed()
                .withTextContaining("""
                        BUDGET NOT CHECKED  1 limit of 1 budget cannot be checked
                        1. L1 of device 99: peak at most 1 MiB (1048576 B): the peak cannot be checked
                           device = 99 is no device of the mesh, which has 0-7. Give one of these, or leave device out to limit each device.""");
    }

    @Test
    void aBudgetForAnyDeviceHoldsWhereATestOpensNoMesh() {
        assertThat(run(NoMeshTestCase.class)).hasSingleTest().whichSucceeded();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            negative  | peakBytes = -1 is rejected. Give 0 or more, or leave it out to allow any.
            twoLimits | buffers = [1, 2] is rejected. Give at most one.
            noLimit   | a budget without a limit is rejected. Give peakBytes, liveBytes, buffers or largestFreeBlock.
            twice     | type = L1 a second time is rejected. Put all limits for one memory into one budget.
            device    | device = -1 is rejected. Give 0 or more, or leave it out for each device.
            """)
    void rejectsAnInvalidLimitWithLocationValueAndFix(String test, String refusal) {
        assertThat(runTest(RejectedTestCase.class, test, Map.of()))
                .hasTest(test)
                .whichFailed()
                .with(
                        ExtensionConfigurationException.class,
                        "@MemoryBudget on MemoryBudgetTests$RejectedTestCase#" + test + ": " + refusal);
    }

    @Test
    void rejectsTheBudgetOfOneMethodOfAMeshOfItsClass() {
        assertThat(run(SharedMeshTestCase.class))
                .hasSingleTest()
                .whichFailed()
                .with(
                        ExtensionConfigurationException.class,
                        "@MemoryBudget on MemoryBudgetTests$SharedMeshTestCase#test: a budget for one method of a mesh with lifetime"
                                + " = CLASS is rejected. Put it on the class, or let the mesh last for one test.");
    }

    @TrackAllocations
    static class PeakTestCase {
        @Test
        @MemoryBudget(type = BufferType.DRAM, peakBytes = 4_000)
        void decode(MeshDevice mesh) {
            Buffers.take(mesh).deallocate();
        }
    }

    @TrackAllocations
    static class AbsentDeviceTestCase {
        @Test
        @MemoryBudget(type = BufferType.L1, device = 99, peakBytes = 1_048_576)
        void test(MeshDevice mesh) {
            Buffers.take(mesh).deallocate();
        }
    }

    @TrackAllocations
    static class NoMeshTestCase {
        @Test
        @MemoryBudget(type = BufferType.L1, device = 99, peakBytes = 1_048_576)
        void test() {}
    }

    @TrackAllocations
    @MemoryBudget(type = BufferType.L1, peakBytes = 1_048_576)
    static class WithinTestCase {
        @Test
        @MemoryBudget(type = BufferType.DRAM, peakBytes = 4_096, liveBytes = 0, buffers = 1)
        @MemoryBudget(type = BufferType.DRAM, device = 3, largestFreeBlock = 1)
        void test(MeshDevice mesh) {
            Buffers.take(mesh).deallocate();
        }
    }

    @TrackAllocations
    @MemoryBudget(type = BufferType.DRAM, peakBytes = 0)
    static class NearestTestCase {
        @Test
        @MemoryBudget(type = BufferType.DRAM, peakBytes = 4_096)
        void test(MeshDevice mesh) {
            Buffers.take(mesh).deallocate();
        }
    }

    @TrackAllocations
    @MemoryBudget(type = BufferType.DRAM, peakBytes = 0)
    static class ClassTestCase {
        @Test
        void test(MeshDevice mesh) {
            Buffers.take(mesh).deallocate();
        }
    }

    static class FieldTestCase {
        @RegisterExtension
        static final MeshGuardExtension guard = MeshGuardExtension.builder()
                .within(dev.meshguard.verdict.budget.BudgetSpec.of(BufferType.DRAM)
                        .peakBytes(0))
                .build();

        @Test
        void test(MeshDevice mesh) {
            Buffers.take(mesh).deallocate();
        }
    }

    @TrackAllocations
    static class LeakAndPeakTestCase {
        @Test
        @MemoryBudget(type = BufferType.DRAM, peakBytes = 0)
        void test(MeshDevice mesh) {
            Buffers.take(mesh);
        }
    }

    @TrackAllocations
    static class AssertedTestCase {
        @Test
        @MemoryBudget(type = BufferType.DRAM, peakBytes = 0)
        void test(MeshDevice mesh, AllocationTracker tracker) {
            Buffers.take(mesh).deallocate();
            LeakAssertions.assertThat(tracker)
                    .staysWithin(dev.meshguard.verdict.budget.BudgetSpec.of(BufferType.DRAM)
                            .peakBytes(0));
        }
    }

    @TrackAllocations
    static class FailingTestCase {
        @Test
        @MemoryBudget(type = BufferType.DRAM, peakBytes = 0)
        void test(MeshDevice mesh) {
            Buffers.take(mesh).deallocate();
            throw new IllegalStateException("another reason");
        }
    }

    @TrackAllocations
    static class FreeBlockTestCase {
        @Test
        @MemoryBudget(type = BufferType.DRAM, largestFreeBlock = 1L << 40)
        void test(MeshDevice mesh) {
            Buffers.take(mesh).deallocate();
        }
    }

    @TrackAllocations
    static class ClosedTestCase {
        @Test
        @MemoryBudget(type = BufferType.DRAM, largestFreeBlock = 1)
        void test(MeshDevice mesh) {
            mesh.close();
        }
    }

    @TrackAllocations
    static class RejectedTestCase {
        @Test
        @MemoryBudget(type = BufferType.DRAM, peakBytes = -1)
        void negative() {}

        @Test
        @MemoryBudget(
                type = BufferType.DRAM,
                buffers = {1, 2})
        void twoLimits() {}

        @Test
        @MemoryBudget(type = BufferType.DRAM)
        void noLimit() {}

        @Test
        @MemoryBudget(type = BufferType.L1, peakBytes = 1)
        @MemoryBudget(type = BufferType.L1, buffers = 1)
        void twice() {}

        @Test
        @MemoryBudget(type = BufferType.L1, device = -1, peakBytes = 1)
        void device() {}
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS)
    static class SharedMeshTestCase {
        @Test
        @MemoryBudget(type = BufferType.L1, peakBytes = 1)
        void test() {}
    }
}
