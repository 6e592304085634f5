package dev.meshguard.junit;

import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.Phase;
import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.junit.testkit.MustFail;
import dev.meshguard.junit.testkit.WithFixtures;
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
class PhaseLabelsTests implements WithFixtures {
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
        void thePhasesOfATestAreLabelled(AllocationTracker tracker) {
            Assertions.assertThat(tracker.history().phaseAt(Long.MAX_VALUE)).isEqualTo(Phase.TEST);
        }

        @AfterEach
        void tearDown(AllocationTracker tracker) {
            Assertions.assertThat(tracker.history().phaseAt(Long.MAX_VALUE)).isEqualTo(Phase.TEARDOWN);
        }
    }

    @TrackAllocations
    static class TrackedTestCase {
        @Test
        void aMeshThatIsFirstAskedForByTheTestHasNoSetUp(AllocationTracker tracker) {
            tracker.sourceAttached("binding");

            Assertions.assertThat(phases(tracker)).containsExactly(Phase.TEST);
        }

        @Test
        void aPhaseOfTheTestsOwnLiesWithinTheTest(AllocationTracker tracker) {
            try (Scope warmUp = tracker.phase("warm-up")) {
                Assertions.assertThat(tracker.history().phaseAt(Long.MAX_VALUE)).isEqualTo(new Phase("warm-up"));
            }

            Assertions.assertThat(tracker.history().phaseAt(Long.MAX_VALUE)).isEqualTo(Phase.TEST);
            tracker.sourceAttached("binding");
        }

        @Test
        @MustFail(text = "allocated in warm-up (events #")
        void aFailureNamesThePhaseOfTheTestsOwn(MeshDevice mesh, AllocationTracker tracker) {
            try (Scope warmUp = tracker.phase("warm-up")) {
                Buffers.take(mesh);
            }
        }
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS)
    static class SharedTestCase {
        @BeforeAll
        static void attach(AllocationTracker tracker) {
            tracker.sourceAttached("binding");
        }

        @RepeatedTest(2)
        void noPhaseOfATestLastsBeyondItOnASharedMesh() {}

        @AfterAll
        static void between(AllocationTracker tracker) {
            Assertions.assertThat(tracker.history().phaseAt(Long.MAX_VALUE)).isEqualTo(Phase.START);
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
}
