package dev.meshguard.junit;

import dev.meshguard.assertions.BudgetAssertionError;
import dev.meshguard.assertions.LeakAssertions;
import dev.meshguard.event.BufferType;
import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.junit.testkit.MustFail;
import dev.meshguard.junit.testkit.WithFixtures;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.budget.BudgetSpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.opentest4j.MultipleFailuresError;

/** {@link MemoryBudget} limits the memory of a test, and names the top consumers. */
class MemoryBudgetTests implements WithFixtures {

    @TrackAllocations
    static class OnMethodsTestCase {
        @Test
        @MustFail(
                error = BudgetAssertionError.class,
                frame = "OnMethodsTestCase.aPeakOverTheBudgetFailsTheTest",
                text = {
                    "1. DRAM of devices 0-7: peak 4 KiB (4096 B), 96 B over the budget of 3.91 KiB (4000 B)",
                    "held 4 KiB (4096 B) in 1 buffer: DRAM from MemoryBudgetTests$OnMethodsTestCase.aPeakOverTheBudgetFailsTheTest",
                    "rerun   mvn test -Dtest='MemoryBudgetTests$OnMethodsTestCase#aPeakOverTheBudgetFailsTheTest'"
                })
        @MemoryBudget(type = BufferType.DRAM, peakBytes = 4_000)
        void aPeakOverTheBudgetFailsTheTest(MeshDevice mesh) {
            Buffers.take(mesh).deallocate();
        }

        @Test
        @MustFail(
                error = MultipleFailuresError.class,
                frame = "OnMethodsTestCase.reportsALeakAndABudgetViolationOnceEach",
                text = {"The memory check failed (2 failures)", "LEAK  ", "OVER BUDGET  1 limit of 1 budget not met"})
        @MemoryBudget(type = BufferType.DRAM, peakBytes = 0)
        void reportsALeakAndABudgetViolationOnceEach(MeshDevice mesh) {
            Buffers.take(mesh);
        }

        @Test
        @MustFail(error = BudgetAssertionError.class, alone = true)
        @MemoryBudget(type = BufferType.DRAM, peakBytes = 0)
        void doesNotRepeatWhatTheTestAssertedItself(MeshDevice mesh, AllocationTracker tracker) {
            Buffers.take(mesh).deallocate();
            LeakAssertions.assertThat(tracker)
                    .staysWithin(BudgetSpec.of(BufferType.DRAM).peakBytes(0));
        }

        @Test
        @MustFail(
                error = IllegalStateException.class,
                message = "another reason",
                published = "OVER BUDGET  1 limit of 1 budget not met")
        @MemoryBudget(type = BufferType.DRAM, peakBytes = 0)
        void publishesAViolationWhereTheTestFailsForAnotherReason(MeshDevice mesh) {
            Buffers.take(mesh).deallocate();
            throw new IllegalStateException("another reason");
        }

        @Test
        @MustFail(text = "DRAM of devices 0-7: largest free block")
        @MemoryBudget(type = BufferType.DRAM, largestFreeBlock = 1L << 40)
        void howFreeMemoryLiesIsReadWhenTheTestMethodHasEnded(MeshDevice mesh) {
            Buffers.take(mesh).deallocate();
        }

        @Test
        @MustFail(text = "BUDGET NOT CHECKED  1 limit of 1 budget cannot be checked")
        @MemoryBudget(type = BufferType.DRAM, largestFreeBlock = 1)
        void howFreeMemoryLiesCannotBeReadOfAMeshThatIsClosed(MeshDevice mesh) {
            mesh.close();
        }

        @Test
        @MustFail(text = """
                BUDGET NOT CHECKED  1 limit of 1 budget cannot be checked
                1. L1 of device 99: peak at most 1 MiB (1048576 B): the peak cannot be checked
                   device = 99 is no device of the mesh, which has 0-7. Give one of these, or leave device out to limit each device.""")
        @MemoryBudget(type = BufferType.L1, device = 99, peakBytes = 1_048_576)
        void aBudgetForADeviceThatNoMeshHasFailsWithTheDevicesOfTheMesh(MeshDevice mesh) {
            Buffers.take(mesh).deallocate();
        }

        @Test
        @MemoryBudget(type = BufferType.L1, device = 99, peakBytes = 1_048_576)
        void aBudgetForAnyDeviceHoldsWhereATestOpensNoMesh() {}
    }

    @TrackAllocations
    @MemoryBudget(type = BufferType.L1, peakBytes = 1_048_576)
    static class WithinTestCase {
        @Test
        @MemoryBudget(type = BufferType.DRAM, peakBytes = 4_096, liveBytes = 0, buffers = 1)
        @MemoryBudget(type = BufferType.DRAM, device = 3, largestFreeBlock = 1)
        void whatKeepsToItsBudgetsPasses(MeshDevice mesh) {
            Buffers.take(mesh).deallocate();
        }
    }

    @TrackAllocations
    @MemoryBudget(type = BufferType.DRAM, peakBytes = 0)
    static class OnClassTestCase {
        @Test
        @MustFail(error = BudgetAssertionError.class)
        void theBudgetOfAClassHoldsForEachOfItsTests(MeshDevice mesh) {
            Buffers.take(mesh).deallocate();
        }

        @Test
        @MemoryBudget(type = BufferType.DRAM, peakBytes = 4_096)
        void theBudgetOfAMethodReplacesThatOfItsClassForTheSameMemory(MeshDevice mesh) {
            Buffers.take(mesh).deallocate();
        }
    }

    static class FieldTestCase {
        @RegisterExtension
        static final MeshGuardExtension guard = MeshGuardExtension.builder()
                .within(BudgetSpec.of(BufferType.DRAM).peakBytes(0))
                .build();

        @Test
        @MustFail(error = BudgetAssertionError.class)
        void anExtensionInAFieldMayHaveBudgetsToo(MeshDevice mesh) {
            Buffers.take(mesh).deallocate();
        }
    }
}
