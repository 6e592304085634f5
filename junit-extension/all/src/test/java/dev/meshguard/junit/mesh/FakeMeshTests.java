package dev.meshguard.junit.mesh;

import static dev.meshguard.junit.testkit.JupiterRun.run;
import static dev.meshguard.junit.testkit.RunAssert.assertThat;

import dev.meshguard.junit.AllocationCheck;
import dev.meshguard.junit.MeshGuardExtension;
import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.junit.TrackingLifetime;
import dev.meshguard.junit.processes.WatchedProcesses;
import dev.meshguard.junit.template.RepeatUntilStable;
import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.junit.testkit.FixtureChecks;
import dev.meshguard.junit.testkit.MustFail;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.server.process.TrackedProcesses;
import dev.meshguard.verdict.Outcome;
import java.util.stream.Stream;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The nearest source annotation selects the memory that a test examines. */
class FakeMeshTests {
    @TestFactory
    Stream<DynamicTest> fixtures() {
        return FixtureChecks.of(
                AloneTestCase.class,
                FieldTestCase.class,
                TrackedFieldTestCase.class,
                SharedTestCase.class,
                MixedParametersTestCase.class);
    }

    @Test
    void leavesTheTrackingOfAFartherLocationAsItIs() {
        assertThat(run(OnMethodTestCase.class)).hasOnlySucceeded(2);
    }

    @Test
    void oneMethodMayHaveAMeshOfItsOwnBesideASharedOne() {
        assertThat(run(OwnBesideSharedTestCase.class)).hasOnlySucceeded(2);
    }

    @Test
    void aNestedClassSelectsAnotherSource() {
        assertThat(run(OuterTestCase.class)).hasOnlySucceeded(2);
    }

    @Test
    void faultsNeedAMesh() {
        assertThat(run(FaultsOfProcessesTestCase.class))
                .hasTest("decodes")
                .whichFailed()
                .with(ExtensionConfigurationException.class)
                .withTextContaining(
                        "#decodes: @WatchedProcesses is rejected. Its invocations need a source that reports to the"
                                + " tracker of the test, for example a mesh in this process.");
    }

    private static void assertShape(MeshDevice mesh, Integer... dimensions) {
        Assertions.assertThat(mesh.shape().dimensions()).containsExactly(dimensions);
    }

    @FakeMesh(rows = 1, columns = 2)
    static class AloneTestCase {
        @Test
        @MustFail(verdict = Outcome.LEAKED)
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
        void ofMethodAsAWhole(MeshDevice mesh) {
            assertShape(mesh, 2, 1);
            Buffers.take(mesh);
        }
    }

    @FakeMesh(rows = 1, columns = 1)
    static class FieldTestCase {
        @RegisterExtension
        static final MeshGuardExtension guard = MeshGuardExtension.builder()
                .source(FakeMeshSource.builder().mesh(1, 2).build())
                .build();

        @Test
        void winsOverTheSourceOfAField(MeshDevice mesh) {
            assertShape(mesh, 1, 1);
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
    static class SharedTestCase {
        @Test
        @MustFail(
                error = ExtensionConfigurationException.class,
                message =
                        "@FakeMesh on FakeMeshTests$SharedTestCase#rejectsAMeshForOneMethodOfASharedMesh: a source for one method of a class with lifetime ="
                                + " CLASS is rejected. Put it on the class, or let the lifetime of this method be TEST.")
        @FakeMesh(rows = 1)
        void rejectsAMeshForOneMethodOfASharedMesh(MeshDevice mesh) {}
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
        void hasItsOwn(MeshDevice mesh) {
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
            void withPrograms(TrackedProcesses processes) {
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

    @WatchedProcesses
    static class FaultsOfProcessesTestCase {
        @RepeatUntilStable
        void decodes() {}
    }
}
