package dev.meshguard.junit;

import static dev.meshguard.junit.testkit.JupiterRun.run;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.Phase;
import dev.meshguard.junit.mesh.FakeMesh;
import dev.meshguard.junit.mesh.FakeMeshSource;
import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.junit.testkit.MustFail;
import dev.meshguard.junit.testkit.Publishes;
import dev.meshguard.junit.testkit.Runs;
import dev.meshguard.junit.testkit.WithFixtures;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.MeshDeviceOptions;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.runtime.Strictness;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.OriginCapture;
import dev.meshguard.tracker.Scope;
import dev.meshguard.verdict.Outcome;
import java.util.List;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A test that declares a mesh gets its own, opened as it asks for it, and a test that declares nothing opens none. */
class ParameterTests implements WithFixtures {

    static class UnusedMeshTestCase {
        @RegisterExtension
        static final MeshGuardExtension guard = MeshGuardExtension.builder()
                .source(FakeMeshSource.builder()
                        .runtime(runtime -> {
                            throw new IllegalStateException("nobody requested a mesh");
                        })
                        .build())
                .build();

        @Test
        void aTestThatAsksForNothingOpensNothing() {}

        @Test
        @Disabled("to see that nothing is opened for it")
        @Runs(0)
        void aTestThatDoesNotRunOpensNothing(MeshDevice mesh) {}
    }

    /** A binding that is created once reports to the tracker of the test that created it. */
    @TrackAllocations
    @TestMethodOrder(MethodOrderer.MethodName.class)
    abstract static class KeptTracker {
        static AllocationTracker kept;

        @Test
        void creates(AllocationTracker tracker) {
            kept = tracker;
            tracker.sourceAttached("binding");
        }

        @Test
        void uses(MeshDevice mesh) {
            kept.allocated(0, BufferType.DRAM, 0x1000, 4096);
        }
    }

    @TrackAllocations(origins = OriginCapture.NONE)
    @MustFail(run = true, frame = "KeptTrackerWithoutOriginsTestCase.creates")
    static class KeptTrackerWithoutOriginsTestCase extends KeptTracker {}

    @MustFail(
            run = true,
            frame = "KeptTracker.uses",
            text = "LEAK  4 KiB in 1 buffer, allocated through the AllocationTracker of"
                    + " ParameterTests$KeptTrackerTestCase#creates after the check of that test; the first at ")
    static class KeptTrackerTestCase extends KeptTracker {}

    /** The test frees this buffer through that tracker, so there is no finding. */
    static class FreeingKeptTrackerTestCase extends KeptTracker {
        @Override
        @Test
        void uses(MeshDevice mesh) {
            super.uses(mesh);
            kept.freed(0, BufferType.DRAM, 0x1000);
        }
    }

    @TrackAllocations
    @FakeMesh(rows = 1, columns = 3)
    static class SharingTestCase {
        private static MeshDevice ofEarlierTest;

        private final MeshDevice ofConstructor;

        SharingTestCase(MeshDevice mesh) {
            ofConstructor = mesh;
        }

        @BeforeEach
        void before(MeshDevice mesh, Ttnn ttnn) {
            Assertions.assertThat(mesh).isSameAs(ofConstructor);
            Assertions.assertThat(ttnn.openMeshDevices()).containsExactly(mesh);
        }

        @Test
        void constructorLifecycleMethodsAndTestShareTheMeshOfTheTest(MeshDevice mesh, AllocationTracker tracker) {
            Assertions.assertThat(mesh).isSameAs(ofConstructor);
            Assertions.assertThat(mesh.listener()).isSameAs(tracker);
        }

        @AfterEach
        void after(MeshDevice mesh) {
            Assertions.assertThat(mesh).isSameAs(ofConstructor);
        }

        @RepeatedTest(2)
        void eachTestHasAMeshOfItsOwn(MeshDevice mesh) {
            Assertions.assertThat(mesh).isNotSameAs(ofEarlierTest);
            ofEarlierTest = mesh;
        }

        @Test
        void theMeshHasTheShapeAskedFor(MeshDevice mesh) {
            Assertions.assertThat(mesh.shape().dimensions()).containsExactly(1, 3);
        }
    }

    @TrackAllocations
    @MustFail(verdict = Outcome.LEAKED, text = "sum     16 allocated = 0 freed + 16 leaked")
    static class MethodsForAllTestCase {
        @BeforeAll
        static void takes(MeshDevice mesh) {
            Buffers.take(mesh);
        }

        @Test
        void whatMethodsForAllAskForBelongsToTheClassAndNotToItsTests(AllocationTracker tracker, MeshDevice mesh) {
            Assertions.assertThat(tracker.liveBuffers()).isZero();
        }

        @AfterAll
        static void takesToo(MeshDevice mesh) {
            Buffers.take(mesh);
        }
    }

    // Its runtime, and the arguments with which its mesh is opened

    static class ConfiguredTestCase {
        @Test
        @TrackAllocations
        @FakeMesh(l1SmallSize = 32_768, traceRegionSize = 1_048_576)
        void theMeshIsOpenedWithTheRegionsAskedFor(MeshDevice mesh) {
            Assertions.assertThat(mesh.statistics(BufferType.L1_SMALL).totalAllocatable())
                    .isEqualTo(32_768);
            Assertions.assertThat(mesh.statistics(BufferType.TRACE).totalAllocatable())
                    .isEqualTo(1_048_576);
        }

        @Test
        @TrackAllocations
        @FakeMesh(strictness = Strictness.STRICT)
        void aStrictRuntimeRejectsWhatTheRealOneAccepts(Ttnn ttnn, MeshDevice mesh) {
            Assertions.assertThatThrownBy(() -> ttnn.openMeshDevice(mesh.shape()))
                    .hasMessageStartingWith("Cannot open a 2x4 mesh");
        }
    }

    static class OpeningTestCase {
        @RegisterExtension
        static final MeshGuardExtension MESH_GUARD = MeshGuardExtension.builder()
                .source(FakeMeshSource.builder()
                        .mesh(1, 2)
                        .opening(MeshDeviceOptions.defaults().withTraceRegionSize(4_096))
                        .build())
                .build();

        @Test
        void theBuilderChoosesTheArgumentsOfTheOpening(MeshDevice mesh) {
            Assertions.assertThat(mesh.shape()).isEqualTo(MeshShape.of(1, 2));
            Assertions.assertThat(mesh.statistics(BufferType.TRACE).totalAllocatable())
                    .isEqualTo(4_096);
        }
    }

    /** Both meshes have kernel binaries at the same addresses, which is no leak. */
    @TrackAllocations(check = AllocationCheck.NO_LEAKS)
    static class OpenSubmeshTestCase {
        @Test
        @Publishes("OVERLAP  two meshes held the same memory at a time")
        void submeshesThatWereLeftOpenAreClosedBeforeTheirMesh(Ttnn ttnn, MeshDevice mesh) {
            for (MeshDevice busy : List.of(mesh, mesh.createSubmesh(MeshShape.of(1, 2)))) {
                Buffers.addAndFree(busy, ttnn);
            }
        }

        @Test
        @TrackAllocations
        @MustFail(
                text = {
                    "OVERLAP  two meshes held the same memory at a time",
                    "rerun mvn test -Dtest='ParameterTests$OpenSubmeshTestCase#memoryThatTwoMeshesHeldFailsTheTest'"
                })
        void memoryThatTwoMeshesHeldFailsTheTest(Ttnn ttnn, MeshDevice mesh) {
            submeshesThatWereLeftOpenAreClosedBeforeTheirMesh(ttnn, mesh);
        }

        @Test
        @MustFail(
                text = "note    mesh 1 was still open although mesh 0, of which it is a part, was closed;"
                        + " MeshGuard cleared its program cache and closed it")
        void aSubmeshThatOutlivesItsParentIsNamed(MeshDevice mesh) {
            Buffers.take(mesh.createSubmesh(MeshShape.of(1, 2)));
            mesh.close();
        }
    }

    // Its phases: set-up, test and teardown
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
