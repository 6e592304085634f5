package dev.meshguard.junit;

import static dev.meshguard.junit.testkit.JupiterRun.runTest;
import static dev.meshguard.junit.testkit.RunAssert.assertThat;

import dev.meshguard.event.BufferType;
import dev.meshguard.junit.testkit.TestTrackers;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.allocator.InsufficientMemoryException;
import dev.meshguard.mesh.fault.FaultPlan;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.Outcome;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.opentest4j.AssertionFailedError;
import org.opentest4j.MultipleFailuresError;

/** The report of a test that failed because its memory had no room does not present its survivors as the failure. */
class OutOfMemoryReportTests {

    private static final long MOST_OF_L1 = 64L * 1_024 * 1_024;

    @Test
    void beginsWithTheShortageAndListsSurvivorsAsRemaining() {
        assertThat(runTest(OutOfMemoryTestCase.class, "rejected", Map.of()))
                .hasSingleTest()
                .withPublishedText(TestTrackers.keptHistory(), """
                        OUT OF MEMORY  L1 full: 1 MiB needed in each bank, 338.66 KiB free
                           why   full: each bank has to store 1 MiB (1048576 B), and has 338.66 KiB (346784 B) free
                           held  1 MiB by 1 buffer, allocated at
                                 dev.meshguard.junit.OutOfMemoryReportTests$OutOfMemoryTestCase.fill(OutOfMemoryReportTests.java:NN)

                        remaining after the failure: 512 MiB in 8 L1 buffers, LOST; allocated in OutOfMemoryReportTests.java:NN
                        1. L1  8 x 64 MiB, one on each of devices 0-7
                           at dev.meshguard.junit.OutOfMemoryReportTests$OutOfMemoryTestCase.fill(OutOfMemoryReportTests.java:NN)
                           why   LOST: no handle to it is reachable any more, and no free of it was reported ({handle traced})
                           fix   Keep a reference to the buffer until it is freed: without one, no code can free it.
                           seen  allocated in TEST ({allocated 1 to 8})
                                 the allocator reported 0x6e000 (450560) as allocated when close began ({witnessed 1})

                        note    mesh 0 was still open; MeshGuard cleared its program cache and closed it
                        note    the test threw DeviceOutOfMemoryException before this check, so what frees memory may not have run
                        sum     8 allocated = 0 freed + 8 leaked
                        rerun   mvn test -Dtest='OutOfMemoryReportTests$OutOfMemoryTestCase#rejected'""");
    }

    @Test
    void findsTheErrorAmongTheCausesOfAnother() {
        assertThat(runTest(OutOfMemoryTestCase.class, "wrapped", Map.of()))
                .hasSingleTest()
                .whichFailed()
                .withPublishedTextContaining("OUT OF MEMORY  L1 full")
                .withPublishedTextContaining("remaining after the failure: 512 MiB");
    }

    @Test
    void findsTheErrorAmongSeveral() {
        assertThat(runTest(OutOfMemoryTestCase.class, "oneOfSeveral", Map.of()))
                .hasSingleTest()
                .whichFailed()
                .withPublishedTextContaining("OUT OF MEMORY  L1 full");
    }

    @Test
    void leavesOutAnErrorThatTheTestExpected() {
        assertThat(runTest(OutOfMemoryTestCase.class, "expected", Map.of()))
                .hasSingleTest()
                .whichFailed()
                .withVerdict(Outcome.LEAKED)
                .withTextContaining("LEAK  512 MiB");
    }

    @Test
    void leavesOutAnErrorOfTheCleanUp() {
        assertThat(runTest(OutOfMemoryTestCase.class, "suppressed", Map.of()))
                .hasSingleTest()
                .whichFailed()
                .withPublishedTextContaining("LEAK  512 MiB");
    }

    /** The memory has room, so nobody holds it. */
    @Test
    void leavesOutAnInjectedErrorWhichNamesItself() {
        assertThat(runTest(OutOfMemoryTestCase.class, "injected", Map.of()))
                .hasSingleTest()
                .whichFailed()
                .with(InsufficientMemoryException.class)
                .withTextContaining("\ninjected: failingAllocation(2)")
                .withPublishedTextContaining("LEAK  8 KiB");
    }

    @TrackAllocations
    static class OutOfMemoryTestCase {

        @Test
        void injected(AllocationTracker tracker) {
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
        void rejected(MeshDevice mesh, AllocationTracker tracker) {
            TestTrackers.keep(tracker);
            fill(mesh);
        }

        @Test
        void wrapped(MeshDevice mesh) {
            try {
                fill(mesh);
            } catch (InsufficientMemoryException error) {
                throw new IllegalStateException("the layer has no memory", error);
            }
        }

        @Test
        void oneOfSeveral(MeshDevice mesh) {
            try {
                fill(mesh);
            } catch (InsufficientMemoryException error) {
                throw new MultipleFailuresError("layers", List.of(new AssertionFailedError("the first layer"), error));
            }
        }

        @Test
        void expected(MeshDevice mesh) {
            try {
                fill(mesh);
            } catch (InsufficientMemoryException error) {
                return;
            }
        }

        @Test
        void suppressed(MeshDevice mesh) {
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
}
