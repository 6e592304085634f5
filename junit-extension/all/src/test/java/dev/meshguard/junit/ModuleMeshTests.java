package dev.meshguard.junit;

import static dev.meshguard.junit.testkit.JupiterRun.runTogether;
import static dev.meshguard.junit.testkit.RunAssert.assertThat;

import dev.meshguard.assertions.BudgetAssertionError;
import dev.meshguard.event.BufferType;
import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.junit.testkit.MustFail;
import dev.meshguard.junit.testkit.RunAssert;
import dev.meshguard.junit.testkit.SteppedTimer;
import dev.meshguard.junit.testkit.WithFixtures;
import dev.meshguard.mesh.MeshBuffer;
import dev.meshguard.verdict.Outcome;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A mesh and a tracker of the user's own outlive the classes of their tests: each test is responsible for its own survivors,
 * and the end of the run for the rest.
 */
class ModuleMeshTests implements WithFixtures {

    @Test
    void eachTestIsResponsibleForItsOwnAndTheRunForTheRest() {
        RunAssert.Results results = runTogether(LoadingCase.class, DecodingCase.class);

        assertThat(results)
                .hasTest("leaks")
                .whichFailed()
                .withVerdict(Outcome.LEAKED)
                .withFirstFrameIn("LoadingCase.leaks")
                .withTextContaining("\nsum     2 allocated = 0 freed + 2 leaked\n");
        assertThat(results)
                .hasTest("leaksToo")
                .whichFailed()
                .withVerdict(Outcome.LEAKED)
                .withFirstFrameIn("DecodingCase.leaksToo")
                .withTextContaining("\nsum     2 allocated = 0 freed + 2 leaked\n");
        assertThat(results).hasTest("freesItsOwn").whichSucceededSilently();
        assertThat(results).hasTest("freesWhatAnotherClassLoaded").whichSucceededSilently();
        assertThat(results)
                .hasFailedContainer("JUnit Jupiter")
                .withVerdict(Outcome.LEAKED)
                .withTextContaining("at dev.meshguard.junit.ModuleMeshTests$DecodingCase.load(")
                .withTextContaining(" + 2 leaked\n");
    }

    @Test
    void aSecondRunOpensAMeshOfItsOwn() {
        assertThat(runTogether(FreeingCase.class, UnloadingCase.class)).hasOnlySucceeded(2);
        assertThat(runTogether(FreeingCase.class, UnloadingCase.class)).hasOnlySucceeded(2);
    }

    @ExtendWith(ModuleMesh.class)
    abstract static class OnModuleMesh {

        @RegisterExtension
        static final MeshGuardExtension guard =
                MeshGuardExtension.builder().source(ModuleMesh.settings()).build();
    }

    static class LoadingCase extends OnModuleMesh {

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

    static class DecodingCase extends OnModuleMesh {

        @BeforeAll
        static void load() {
            Buffers.take(ModuleMesh.mesh());
        }

        @Test
        void freesWhatAnotherClassLoaded() {
            LoadingCase.weights.deallocate();
        }

        @Test
        void leaksToo() {
            Buffers.take(ModuleMesh.mesh());
        }
    }

    static class FreeingCase extends OnModuleMesh {

        @Test
        void freesItsOwn() {
            Buffers.take(ModuleMesh.mesh()).deallocate();
        }
    }

    static class UnloadingCase extends OnModuleMesh {

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

    /** The free happens while the check sleeps, which is when another thread would free. */
    @TrackAllocations(grace = "2 s")
    @ExtendWith(ModuleMesh.class)
    static class PrefetchingTestCase {

        private static final SteppedTimer timer = new SteppedTimer();

        @RegisterExtension
        static final MeshGuardExtension guard = MeshGuardExtension.builder()
                .source(ModuleMesh.settings())
                .timer(timer)
                .build();

        @Test
        void aFreeByAnotherThreadWithinTheGraceIsInTime() {
            timer.at(Duration.ofMillis(60), Buffers.take(ModuleMesh.mesh())::deallocate);
        }
    }

    @MemoryBudget(type = BufferType.DRAM, peakBytes = 4_000)
    static class BudgetTestCase extends OnModuleMesh {

        @Test
        @MustFail(
                error = BudgetAssertionError.class,
                text = "peak 4 KiB (4096 B), 96 B over the budget of 3.91 KiB (4000 B)")
        void aBudgetLimitsTheMemoryOfEachTest() {
            Buffers.take(ModuleMesh.mesh()).deallocate();
        }

        @Test
        void keepsToIt() {}
    }
}
