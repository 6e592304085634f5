package dev.meshguard.junit;

import static dev.meshguard.junit.testkit.JupiterRun.runTest;
import static dev.meshguard.junit.testkit.RunAssert.assertThat;

import dev.meshguard.event.BufferType;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.opentest4j.AssertionFailedError;
import org.opentest4j.MultipleFailuresError;

/** The report of a test that failed because its memory had no room does not present its survivors as the failure. */
class OutOfMemoryReportTests {

    private static final long MOST_OF_L1 = 64L * 1_024 * 1_024;

    @Test
    void beginsWithTheShortageAndListsSurvivorsAsRemaining() {
        assertThat(runTest(OutOfMemoryTestCase.class, "rejected", Map.of()))
                .hasSingleTest()
                .whichFailed()
                .withPublishedTextContaining("OUT OF MEMORY  L1 full: 1 MiB needed in each bank, 338.66 KiB free\n")
                .withPublishedTextContaining("held  1 MiB by 1 buffer, allocated at")
                .withPublishedTextContaining(
                        "remaining after the failure: 512 MiB in 8 L1 buffers, LOST; allocated in ")
                .withPublishedTextContaining("note    the test threw DeviceOutOfMemoryException before this check, so");
    }

    @ParameterizedTest
    @ValueSource(strings = {"wrapped", "oneOfSeveral"})
    void findsTheErrorAmongTheCausesOfAnotherAndAmongSeveral(String test) {
        assertThat(runTest(OutOfMemoryTestCase.class, test, Map.of()))
                .hasSingleTest()
                .whichFailed()
                .withPublishedTextContaining("OUT OF MEMORY  L1 full")
                .withPublishedTextContaining("remaining after the failure: 512 MiB");
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
        void rejected(MeshDevice mesh) {
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
