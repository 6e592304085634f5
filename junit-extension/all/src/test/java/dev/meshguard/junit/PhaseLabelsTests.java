package dev.meshguard.junit;

import static dev.meshguard.junit.testkit.JupiterRun.run;
import static dev.meshguard.junit.testkit.RunAssert.assertThat;

import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.Phase;
import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.Scope;
import java.util.List;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

/** Buffers are attributed to set-up, test or teardown. */
class PhaseLabelsTests {

    @Test
    void thePhasesOfATestAreLabelled() {
        assertThat(run(PhasesTestCase.class)).hasOnlySucceeded(1);
    }

    @Test
    void aMeshThatIsFirstAskedForByTheTestHasNoSetUp() {
        assertThat(run(LateTestCase.class)).hasOnlySucceeded(1);
    }

    @Test
    void aPhaseOfTheTestsOwnLiesWithinTheTest() {
        assertThat(run(WarmUpTestCase.class)).hasOnlySucceeded(1);
    }

    @Test
    void noPhaseOfATestLastsBeyondItOnASharedMesh() {
        assertThat(run(SharedTestCase.class)).hasOnlySucceeded(2);
    }

    @Test
    void aFailureNamesThePhaseOfTheTestsOwn() {
        assertThat(run(WarmUpLeakTestCase.class))
                .hasSingleTest()
                .whichFailed()
                .withTextContaining("allocated in warm-up (events #");
    }

    private static List<Phase> phases(AllocationTracker tracker) {
        return tracker.history().phases().stream()
                .map(HistoryEvent.PhaseBegan::phase)
                .toList();
    }

    @TrackAllocations
    static class PhasesTestCase {
        @BeforeEach
        void setUp(MeshDevice mesh, AllocationTracker tracker) {
            Buffers.take(mesh).deallocate();
            Assertions.assertThat(phases(tracker)).containsExactly(Phase.SETUP, Phase.OPEN, Phase.SETUP);
        }

        @Test
        void test(AllocationTracker tracker) {
            Assertions.assertThat(tracker.currentPhase()).isEqualTo(Phase.TEST);
        }

        @AfterEach
        void tearDown(AllocationTracker tracker) {
            Assertions.assertThat(tracker.currentPhase()).isEqualTo(Phase.TEARDOWN);
        }
    }

    @TrackAllocations
    static class LateTestCase {
        @Test
        void test(AllocationTracker tracker) {
            tracker.sourceAttached("binding");

            Assertions.assertThat(phases(tracker)).containsExactly(Phase.TEST);
        }
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS)
    static class SharedTestCase {
        @BeforeAll
        static void attach(AllocationTracker tracker) {
            tracker.sourceAttached("binding");
        }

        @RepeatedTest(2)
        void test() {}

        @AfterAll
        static void between(AllocationTracker tracker) {
            Assertions.assertThat(tracker.currentPhase()).isEqualTo(Phase.START);
            Assertions.assertThat(phases(tracker))
                    .containsExactly(
                            Phase.SETUP,
                            Phase.TEST,
                            Phase.TEARDOWN,
                            Phase.START,
                            Phase.SETUP,
                            Phase.TEST,
                            Phase.TEARDOWN,
                            Phase.START);
        }
    }

    @TrackAllocations
    static class WarmUpTestCase {
        @Test
        void test(AllocationTracker tracker) {
            try (Scope warmUp = tracker.phase("warm-up")) {
                Assertions.assertThat(tracker.currentPhase()).isEqualTo(new Phase("warm-up"));
            }

            Assertions.assertThat(tracker.currentPhase()).isEqualTo(Phase.TEST);
            tracker.sourceAttached("binding");
        }
    }

    @TrackAllocations
    static class WarmUpLeakTestCase {
        @Test
        void test(MeshDevice mesh, AllocationTracker tracker) {
            try (Scope warmUp = tracker.phase("warm-up")) {
                Buffers.take(mesh);
            }
        }
    }
}
