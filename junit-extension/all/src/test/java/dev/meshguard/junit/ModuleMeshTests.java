package dev.meshguard.junit;

import static dev.meshguard.junit.testkit.JupiterRun.run;
import static dev.meshguard.junit.testkit.JupiterRun.runTogether;
import static dev.meshguard.junit.testkit.RunAssert.assertThat;

import dev.meshguard.assertions.BudgetAssertionError;
import dev.meshguard.event.BufferType;
import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.junit.testkit.RunAssert;
import dev.meshguard.junit.testkit.SteppedTimer;
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

    @Test
    void aFreeByAnotherThreadWithinTheGraceIsInTime() {
        assertThat(run(PrefetchingTestCase.class)).hasOnlySucceeded(1);
    }

    @Test
    void aBudgetLimitsTheMemoryOfEachTest() {
        RunAssert.Results results = run(BudgetTestCase.class);

        assertThat(results).hasTest("keepsToIt").whichSucceeded();
        assertThat(results)
                .hasTest("exceedsIt")
                .whichFailed()
                .with(BudgetAssertionError.class)
                .withTextContaining("peak 4 KiB (4096 B), 96 B over the budget of 3.91 KiB (4000 B)");
    }

    @ExtendWith(ModuleMesh.class)
    abstract static class OnModuleMesh {

        @RegisterExtension
        static final MeshGuardExtension guard =
                MeshGuardExtension.builder().source(ModuleMesh.settings()).build();
    }

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
        void prefetches() {
            timer.at(Duration.ofMillis(60), Buffers.take(ModuleMesh.mesh())::deallocate);
        }
    }

    @MemoryBudget(type = BufferType.DRAM, peakBytes = 4_000)
    static class BudgetTestCase extends OnModuleMesh {

        @Test
        void exceedsIt() {
            Buffers.take(ModuleMesh.mesh()).deallocate();
        }

        @Test
        void keepsToIt() {}
    }
}
