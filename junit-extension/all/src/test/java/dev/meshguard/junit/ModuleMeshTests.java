package dev.meshguard.junit;

import static dev.meshguard.junit.testkit.JupiterRun.runTogether;
import static dev.meshguard.junit.testkit.RunAssert.assertThat;

import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.junit.testkit.RunAssert;
import dev.meshguard.mesh.MeshBuffer;
import dev.meshguard.verdict.Outcome;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A mesh and a tracker of the user's own outlive the classes of their tests: each test is responsible for its own survivors,
 * and the end of the run for the rest.
 */
class ModuleMeshTests {

    @Test
    void eachTestIsResponsibleForItsOwnAndTheRunForTheRest() {
        RunAssert.Results results = runTogether(LoadingTestCase.class, DecodingTestCase.class);

        assertThat(results)
                .hasTest("leaks")
                .whichFailed()
                .withVerdict(Outcome.LEAKED)
                .withFirstFrameIn(LoadingTestCase.class, "leaks")
                .withTextContaining("\nsum     2 allocated = 0 freed + 2 leaked\n");
        assertThat(results)
                .hasTest("leaksToo")
                .whichFailed()
                .withVerdict(Outcome.LEAKED)
                .withFirstFrameIn(DecodingTestCase.class, "leaksToo")
                .withTextContaining("\nsum     2 allocated = 0 freed + 2 leaked\n");
        assertThat(results).hasTest("freesItsOwn").whichSucceeded();
        assertThat(results).hasTest("freesWhatAnotherClassLoaded").whichSucceeded();
        assertThat(results)
                .hasFailedContainerCalled("JUnit Jupiter")
                .whichFailed()
                .withVerdict(Outcome.LEAKED)
                .withTextContaining("at dev.meshguard.junit.ModuleMeshTests$DecodingTestCase.load(")
                .withTextContaining(" + 2 leaked\n");
    }

    @Test
    void aSecondRunOpensAMeshOfItsOwn() {
        assertThat(runTogether(FreeingTestCase.class, UnloadingTestCase.class)).hasOnlySucceeded(2);
        assertThat(runTogether(FreeingTestCase.class, UnloadingTestCase.class)).hasOnlySucceeded(2);
    }

    // region: base
    @ExtendWith(ModuleMesh.class)
    abstract static class OnModuleMesh {

        @RegisterExtension
        static final MeshGuardExtension guard =
                MeshGuardExtension.builder().source(ModuleMesh.settings()).build();
    }
    // end region

    static class LoadingTestCase extends OnModuleMesh {

        static MeshBuffer weights;

        @BeforeAll
        static void load() {
            weights = Buffers.take(ModuleMesh.mesh());
        }

        @Test
        void leaks() {
            Buffers.take(ModuleMesh.mesh());
        }

        @Test
        void freesItsOwn() {
            Buffers.take(ModuleMesh.mesh()).deallocate();
        }
    }

    static class DecodingTestCase extends OnModuleMesh {

        @BeforeAll
        static void load() {
            Buffers.take(ModuleMesh.mesh());
        }

        @Test
        void freesWhatAnotherClassLoaded() {
            LoadingTestCase.weights.deallocate();
        }

        @Test
        void leaksToo() {
            Buffers.take(ModuleMesh.mesh());
        }
    }

    static class FreeingTestCase extends OnModuleMesh {

        @Test
        void freesItsOwn() {
            Buffers.take(ModuleMesh.mesh()).deallocate();
        }
    }

    static class UnloadingTestCase extends OnModuleMesh {

        private static MeshBuffer weights;

        @BeforeAll
        static void load() {
            weights = Buffers.take(ModuleMesh.mesh());
        }

        @Test
        void leavesNothing() {}

        @AfterAll
        static void unload() {
            weights.deallocate();
        }
    }
}
