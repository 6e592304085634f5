package dev.meshguard.junit;

import dev.meshguard.junit.mesh.FakeMesh;
import dev.meshguard.junit.mesh.FakeMeshSource;
import dev.meshguard.junit.processes.WatchedProcesses;
import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.junit.testkit.MustLeak;
import dev.meshguard.junit.testkit.WithFixtures;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.server.process.TrackedProcesses;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The nearest annotation applies, at every location. */
class AnnotationTests implements WithFixtures {

    private static void assertShape(MeshDevice mesh, Integer... dimensions) {
        Assertions.assertThat(mesh.shape().dimensions()).containsExactly(dimensions);
    }

    @TrackAllocations
    @FakeMesh(rows = 1, columns = 1)
    interface OneDevice {}

    @TrackAllocations
    @FakeMesh(rows = 1, columns = 2)
    interface TwoDevices {}

    interface AlsoOneDevice extends OneDevice {}

    @TrackAllocations
    @FakeMesh(rows = 1, columns = 3)
    static class DecidedTestCase implements OneDevice, TwoDevices {
        @Test
        void theClassItselfDecidesBetweenInterfaces(MeshDevice mesh) {
            assertShape(mesh, 1, 3);
        }
    }

    static class SeveralInterfacesTestCase implements AlsoOneDevice, TwoDevices {
        /** JUnit's search returns the first. */
        @Test
        void ofTwoInterfacesTheFirstCounts(MeshDevice mesh) {
            assertShape(mesh, 1, 1);
        }
    }

    @WatchedProcesses
    abstract static class ProcessesTestCase {}

    @FakeMesh(rows = 1, columns = 2)
    static class MeshUnderProcessesTestCase extends ProcessesTestCase {
        @Test
        void theSourceOfAClassGoesBeforeThatOfItsSuperclass(MeshDevice mesh) {
            assertShape(mesh, 1, 2);
        }
    }

    @WatchedProcesses
    interface OnProcesses {}

    @FakeMesh(rows = 1, columns = 2)
    abstract static class OnMesh {
        @Test
        void theSourceOfASuperclassGoesBeforeThatOfAnInterface(MeshDevice mesh) {
            assertShape(mesh, 1, 2);
        }
    }

    @FakeMesh(rows = 1, columns = 2)
    static class SameAsSuperclassTestCase extends OnMesh implements OnProcesses {}

    static class InheritingMeshTestCase extends MeshUnderProcessesTestCase {}

    @TrackAllocations
    @FakeMesh(rows = 1, columns = 2)
    static class MethodOverClassTestCase {
        @Test
        void aMethodWithoutAnnotationHasThatOfItsClass(MeshDevice mesh) {
            assertShape(mesh, 1, 2);
        }

        @Test
        @TrackAllocations
        @FakeMesh(columns = 1)
        void aMethodsAnnotationGoesBeforeThatOfItsClassAsAWhole(MeshDevice mesh) {
            assertShape(mesh, 2, 1);
        }
    }

    @TrackAllocations
    abstract static class SuperTestCase {}

    static class InheritingTestCase extends SuperTestCase {
        @MustLeak
        void theAnnotationOfASuperclassCounts(MeshDevice mesh) {
            Buffers.take(mesh);
        }
    }

    @TrackAllocations
    interface Tracked {}

    static class ImplementingTestCase implements Tracked {
        @MustLeak
        void theAnnotationOfAnInterfaceCounts(MeshDevice mesh) {
            Buffers.take(mesh);
        }
    }

    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.TYPE)
    @TrackAllocations
    @FakeMesh(rows = 1, columns = 1)
    @ExpectBuffers(label = "weights", atMost = 1, because = "one set for the suite")
    @interface SingleDeviceTest {}

    @SingleDeviceTest
    static class ComposedTestCase {
        @Test
        void anAnnotationOfOnesOwnCountsWithItsAttributes(MeshDevice mesh) {
            assertShape(mesh, 1, 1);
            Buffers.take(mesh, "weights");
        }
    }

    @TrackAllocations
    @FakeMesh(rows = 1, columns = 2)
    static class OuterTestCase {
        @Test
        void theClassAroundHasItsAnnotation(MeshDevice mesh) {
            assertShape(mesh, 1, 2);
        }

        @Nested
        class WithoutTestCase {
            @Test
            void theAnnotationOfTheClassAroundCounts(MeshDevice mesh) {
                assertShape(mesh, 1, 2);
            }
        }

        @Nested
        @TrackAllocations
        @FakeMesh(rows = 1, columns = 3)
        class WithTestCase {
            @Test
            void theAnnotationOfTheNestedClassCounts(MeshDevice mesh) {
                assertShape(mesh, 1, 3);
            }
        }
    }

    @FakeMesh(rows = 1, columns = 2)
    static class AloneTestCase {
        @MustLeak
        void usedAloneItTracksTheTest(MeshDevice mesh) {
            assertShape(mesh, 1, 2);
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
    static class OnMeshTestCase {
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
}
