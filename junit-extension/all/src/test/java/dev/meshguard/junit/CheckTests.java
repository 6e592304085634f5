package dev.meshguard.junit;

import static dev.meshguard.junit.testkit.JupiterRun.run;
import static dev.meshguard.junit.testkit.RunAssert.assertThat;

import dev.meshguard.junit.mesh.FakeMesh;
import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.runtime.RuntimeDefect;
import dev.meshguard.verdict.Outcome;
import org.junit.jupiter.api.Test;

/** Each check fails only on its own condition. */
class CheckTests {

    @Test
    void aMissingReportFailsCleanAndOnlyExpectedSystemBuffersButNotNoLeaks() {
        assertThat(run(MisreportedTestCase.class))
                .hasTest("clean")
                .whichFailed()
                .withVerdict(Outcome.MISREPORTED);
        assertThat(run(MisreportedTestCase.class))
                .hasTest("onlyExpectedSystemBuffers")
                .whichFailed()
                .withVerdict(Outcome.MISREPORTED);
        assertThat(run(MisreportedTestCase.class)).hasTest("noLeaks").whichSucceeded();
    }

    @Test
    void withoutCheckNothingFails() {
        assertThat(run(UncheckedTestCase.class)).hasOnlySucceeded(1);
    }

    static class MisreportedTestCase {
        private static final String FREES_ARE_NOT_REPORTED = "the frees of devices are not reported";

        @Test
        @TrackAllocations
        @FakeMesh(defects = RuntimeDefect.MESH_BUFFER_DEALLOCATE_RETURNS_EARLY)
        void clean(MeshDevice mesh) {
            Buffers.take(mesh, FREES_ARE_NOT_REPORTED).deallocate();
        }

        @Test
        @TrackAllocations(check = AllocationCheck.NO_LEAKS)
        @FakeMesh(defects = RuntimeDefect.MESH_BUFFER_DEALLOCATE_RETURNS_EARLY)
        void noLeaks(MeshDevice mesh) {
            Buffers.take(mesh, FREES_ARE_NOT_REPORTED).deallocate();
        }

        @Test
        @TrackAllocations(check = AllocationCheck.ONLY_EXPECTED_SYSTEM_BUFFERS)
        @FakeMesh(defects = RuntimeDefect.MESH_BUFFER_DEALLOCATE_RETURNS_EARLY)
        void onlyExpectedSystemBuffers(MeshDevice mesh) {
            Buffers.take(mesh, FREES_ARE_NOT_REPORTED).deallocate();
        }
    }

    @TrackAllocations(check = AllocationCheck.NONE)
    static class UncheckedTestCase {
        @Test
        void leaks(MeshDevice mesh) {
            Buffers.take(mesh);
        }
    }
}
