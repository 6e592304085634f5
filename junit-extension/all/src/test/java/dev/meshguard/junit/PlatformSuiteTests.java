package dev.meshguard.junit;

import static dev.meshguard.junit.testkit.RunAssert.assertThat;

import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.junit.testkit.JupiterRun;
import dev.meshguard.junit.testkit.RunAssert;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.verdict.Outcome;
import org.junit.jupiter.api.Test;
import org.junit.platform.suite.api.SelectClasses;
import org.junit.platform.suite.api.Suite;

/**
 * A {@code @Suite} class is a run of its own: its tests are checked as usual, and a mesh of the whole run belongs to
 * the suite.
 */
class PlatformSuiteTests {

    @Test
    void aTestOfASuiteIsBlamedForItsLeak() {
        assertThat(JupiterRun.runSuites(SuiteOfLeakingTest.class)).hasOnlyFailed("leaks(MeshDevice)");
    }

    @Test
    void whatIsLeftOnTheMeshOfTheRunFailsTheSuite() {
        assertThat(JupiterRun.runSuites(SuiteOfSharedMesh.class))
                .hasFailedContainerCalled("JUnit Jupiter")
                .whichFailed()
                .withVerdict(Outcome.LEAKED)
                .withFirstFrameIn(LeavesOnSharedMeshTestCase.class, "leaves");
    }

    @Test
    void theNextSuiteHasAMeshOfItsOwn() {
        RunAssert.Results both = JupiterRun.runSuites(SuiteOfSharedMesh.class, CleanSuite.class);

        assertThat(both)
                .hasFailedContainerCalled("JUnit Jupiter")
                .whichFailed()
                .withFirstFrameIn(LeavesOnSharedMeshTestCase.class, "leaves");
    }

    @Suite
    @SelectClasses(LeakingTestCase.class)
    static class SuiteOfLeakingTest {}

    @Suite
    @SelectClasses(LeavesOnSharedMeshTestCase.class)
    static class SuiteOfSharedMesh {}

    @Suite
    @SelectClasses(CleanOnSharedMeshTestCase.class)
    static class CleanSuite {}

    @TrackAllocations
    static class LeakingTestCase {
        @Test
        void leaks(MeshDevice mesh) {
            Buffers.take(mesh);
        }

        @Test
        void leavesNothing(MeshDevice mesh) {}
    }

    @TrackAllocations(lifetime = TrackingLifetime.SUITE)
    static class LeavesOnSharedMeshTestCase {
        @Test
        void leaves(MeshDevice mesh) {
            Buffers.take(mesh);
        }
    }

    @TrackAllocations(lifetime = TrackingLifetime.SUITE)
    static class CleanOnSharedMeshTestCase {
        @Test
        void leavesNothing(MeshDevice mesh) {}
    }
}
