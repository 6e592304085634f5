package dev.meshguard.junit;

import dev.meshguard.event.BufferType;
import dev.meshguard.junit.testkit.MustFail;
import dev.meshguard.junit.testkit.MustLeak;
import dev.meshguard.junit.testkit.WithFixtures;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.allocator.DeviceOutOfMemoryException;
import dev.meshguard.mesh.allocator.InsufficientMemoryException;
import dev.meshguard.mesh.fault.FaultPlan;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.Outcome;
import java.util.List;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.opentest4j.AssertionFailedError;
import org.opentest4j.MultipleFailuresError;

/** The report of a test that failed because its memory had no room does not present its survivors as the failure. */
class OutOfMemoryReportTests implements WithFixtures {

    private static final long MOST_OF_L1 = 64L * 1_024 * 1_024;

    @TrackAllocations
    static class OutOfMemoryTestCase {

        /** The memory has room, so nobody holds it. */
        @Test
        @MustFail(
                error = InsufficientMemoryException.class,
                text = "\ninjected: failingAllocation(2)",
                published = "LEAK  8 KiB")
        void leavesOutAnInjectedErrorWhichNamesItself(AllocationTracker tracker) {
            Ttnn ttnn = Ttnn.builder(tracker)
                    .faults(FaultPlan.none().failingAllocation(2))
                    .build();
            MeshDevice mesh = ttnn.openMeshDevice(MeshShape.of(1, 4));
            mesh.allocate(BufferType.L1, 2_048);
            try {
                mesh.allocate(BufferType.L1, 2_048);
            } finally {
                mesh.close();
            }
        }

        @Test
        @MustFail(
                published = {
                    "OUT OF MEMORY  L1 full: 1 MiB needed in each bank, 338.66 KiB free\n",
                    "held  1 MiB by 1 buffer, allocated at",
                    "remaining after the failure: 512 MiB in 8 L1 buffers, LOST; allocated in ",
                    "note    the test threw DeviceOutOfMemoryException before this check, so"
                })
        void beginsWithTheShortageAndListsSurvivorsAsRemaining(MeshDevice mesh) {
            fill(mesh);
        }

        @Test
        @MustFail(published = {"OUT OF MEMORY  L1 full", "remaining after the failure: 512 MiB"})
        void findsTheErrorAmongTheCausesOfAnother(MeshDevice mesh) {
            try {
                fill(mesh);
            } catch (InsufficientMemoryException error) {
                throw new IllegalStateException("the layer has no memory", error);
            }
        }

        @Test
        @MustFail(published = {"OUT OF MEMORY  L1 full", "remaining after the failure: 512 MiB"})
        void findsTheErrorAmongSeveral(MeshDevice mesh) {
            try {
                fill(mesh);
            } catch (InsufficientMemoryException error) {
                throw new MultipleFailuresError("layers", List.of(new AssertionFailedError("the first layer"), error));
            }
        }

        @Test
        @MustFail(verdict = Outcome.LEAKED, text = "LEAK  512 MiB")
        void leavesOutAnErrorThatTheTestExpected(MeshDevice mesh) {
            try {
                fill(mesh);
            } catch (InsufficientMemoryException error) {
                return;
            }
        }

        @Test
        @MustFail(published = "LEAK  512 MiB")
        void leavesOutAnErrorOfTheCleanUp(MeshDevice mesh) {
            AssertionFailedError failure = new AssertionFailedError("the scores differ");
            try {
                fill(mesh);
            } catch (InsufficientMemoryException error) {
                failure.addSuppressed(error);
            }
            throw failure;
        }

        private static void fill(MeshDevice mesh) {
            mesh.allocate(BufferType.L1, MOST_OF_L1);
            mesh.allocate(BufferType.L1, MOST_OF_L1);
        }
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS, accounting = Accounting.EACH_TEST)
    @TestMethodOrder(MethodOrderer.MethodName.class)
    static class SharedMeshTestCase {

        @MustLeak
        void culprit(MeshDevice mesh) {
            mesh.allocate(BufferType.L1, MOST_OF_L1);
        }

        @Test
        @MustFail(
                error = DeviceOutOfMemoryException.class,
                text = {"OutOfMemoryReportTests.java:", ", by OutOfMemoryReportTests$SharedMeshTestCase#culprit"})
        void theErrorOfTheVictimNamesTheCulprit(MeshDevice mesh) {
            mesh.allocate(BufferType.L1, MOST_OF_L1);
        }
    }
}
