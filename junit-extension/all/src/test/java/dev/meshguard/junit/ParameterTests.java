package dev.meshguard.junit;

import static dev.meshguard.junit.testkit.JupiterRun.run;

import dev.meshguard.event.BufferType;
import dev.meshguard.junit.mesh.FakeMesh;
import dev.meshguard.junit.mesh.FakeMeshSource;
import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.junit.testkit.MustFail;
import dev.meshguard.junit.testkit.Runs;
import dev.meshguard.junit.testkit.WithFixtures;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.OriginCapture;
import dev.meshguard.verdict.Outcome;
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

/** A test that declares a mesh gets its own, and a test that declares nothing opens none. */
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
}
