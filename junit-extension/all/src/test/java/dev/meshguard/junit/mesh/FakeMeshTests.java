package dev.meshguard.junit.mesh;

import dev.meshguard.junit.AllocationCheck;
import dev.meshguard.junit.MeshGuardExtension;
import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.junit.TrackingLifetime;
import dev.meshguard.junit.processes.WatchedProcesses;
import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.junit.testkit.MustFail;
import dev.meshguard.junit.testkit.MustLeak;
import dev.meshguard.junit.testkit.WithFixtures;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.server.process.TrackedProcesses;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The nearest source annotation selects the memory that a test examines. */
class FakeMeshTests implements WithFixtures {

    private static void assertShape(MeshDevice mesh, Integer... dimensions) {
        Assertions.assertThat(mesh.shape().dimensions()).containsExactly(dimensions);
    }

    @FakeMesh(rows = 1, columns = 2)
    static class AloneTestCase {
        @MustLeak
        void usedAloneItTracksTheTest(MeshDevice mesh) {
            assertShape(mesh, 1, 2);
            Buffers.take(mesh);
        }
    }

    @TrackAllocations(check = AllocationCheck.NONE)
    @FakeMesh(rows = 1, columns = 2)
    static class OnMethodTestCase {
        @Test
        void ofClass(MeshDevice mesh) {
            assertShape(mesh, 1, 2);
            Buffers.take(mesh);
        }

        @Test
        @FakeMesh(columns = 1)
        void leavesTheTrackingOfAFartherLocationAsItIs(MeshDevice mesh) {
            assertShape(mesh, 2, 1);
            Buffers.take(mesh);
        }
    }

    @TrackAllocations
    static class TrackedFieldTestCase {
        @RegisterExtension
        static final MeshGuardExtension guard = MeshGuardExtension.builder()
                .source(FakeMeshSource.builder().mesh(1, 2).build())
                .build();

        @Test
        void trackingAloneLeavesTheSourceOfAFieldAsItIs(MeshDevice mesh) {
            assertShape(mesh, 1, 2);
        }
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS)
    @FakeMesh(rows = 1, columns = 2)
    static class OwnBesideSharedTestCase {
        @Test
        void shares(MeshDevice mesh) {
            assertShape(mesh, 1, 2);
        }

        @Test
        @TrackAllocations(lifetime = TrackingLifetime.TEST)
        @FakeMesh(rows = 1, columns = 1)
        void oneMethodMayHaveAMeshOfItsOwnBesideASharedOne(MeshDevice mesh) {
            assertShape(mesh, 1, 1);
        }
    }

    @FakeMesh
    static class OuterTestCase {
        @Test
        void onAMesh(MeshDevice mesh) {
            assertShape(mesh, 2, 4);
        }

        @Nested
        @WatchedProcesses
        class InnerTestCase {
            @Test
            void aNestedClassSelectsAnotherSource(TrackedProcesses processes) {
                Assertions.assertThat(processes.all()).isEmpty();
            }
        }
    }

    @FakeMesh
    static class MixedParametersTestCase {
        @Test
        @MustFail(
                text =
                        "FakeMeshTests$MixedParametersTestCase#rejectsAParameterOfAnotherSourceBesideItsOwn: a TrackedProcesses with @FakeMesh is"
                                + " rejected. Annotate the test with @WatchedProcesses, or give its source to MeshGuardExtension.")
        void rejectsAParameterOfAnotherSourceBesideItsOwn(MeshDevice mesh, TrackedProcesses processes) {}
    }
}
