package dev.meshguard.junit;

import static dev.meshguard.junit.testkit.JupiterRun.run;
import static dev.meshguard.junit.testkit.RunAssert.assertThat;

import dev.meshguard.junit.mesh.FakeMesh;
import dev.meshguard.junit.processes.WatchedProcesses;
import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.verdict.Outcome;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** The nearest annotation applies, at every location. */
class AnnotationTests {

    @Test
    void aMethodsAnnotationGoesBeforeThatOfItsClass() {
        assertThat(run(MethodOverClassTestCase.class)).hasOnlySucceeded(2);
    }

    @Test
    void theAnnotationOfASuperclassCounts() {
        assertThat(run(InheritingTestCase.class)).hasSingleTest().whichFailed().withVerdict(Outcome.LEAKED);
    }

    @Test
    void theAnnotationOfAnInterfaceCounts() {
        assertThat(run(ImplementingTestCase.class))
                .hasSingleTest()
                .whichFailed()
                .withVerdict(Outcome.LEAKED);
    }

    @Test
    void anAnnotationOfOnesOwnCountsWithItsAttributes() {
        assertThat(run(ComposedTestCase.class)).hasOnlySucceeded(1);
    }

    @Test
    void theAnnotationOfTheClassAroundCountsUnlessTheNestedClassHasItsOwn() {
        assertThat(run(OuterTestCase.class)).hasOnlySucceeded(3);
    }

    private static void assertShape(MeshDevice mesh, Integer... dimensions) {
        Assertions.assertThat(mesh.shape().dimensions()).containsExactly(dimensions);
    }

    @Test
    void theClassItselfDecidesBetweenInterfaces() {
        assertThat(run(DecidedTestCase.class)).hasOnlySucceeded(1);
    }

    /** JUnit's search returns the first. */
    @Test
    void ofTwoInterfacesTheFirstCounts() {
        assertThat(run(SeveralInterfacesTestCase.class)).hasOnlySucceeded(1);
    }

    @Test
    void theSourceOfAClassGoesBeforeThatOfItsSuperclassAlsoInSubclasses() {
        assertThat(run(MeshUnderProcessesTestCase.class)).hasOnlySucceeded(1);
        assertThat(run(InheritingMeshTestCase.class)).hasOnlySucceeded(1);
    }

    @Test
    void theSourceOfAClassGoesBeforeThatOfItsInterfaceEvenIfItsSuperclassHasTheSame() {
        assertThat(run(SameAsSuperclassTestCase.class)).hasOnlySucceeded(1);
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
        void runs(MeshDevice mesh) {
            assertShape(mesh, 1, 3);
        }
    }

    static class SeveralInterfacesTestCase implements AlsoOneDevice, TwoDevices {
        @Test
        void runs(MeshDevice mesh) {
            assertShape(mesh, 1, 1);
        }
    }

    @WatchedProcesses
    abstract static class ProcessesTestCase {}

    @FakeMesh(rows = 1, columns = 2)
    static class MeshUnderProcessesTestCase extends ProcessesTestCase {
        @Test
        void runs(MeshDevice mesh) {
            assertShape(mesh, 1, 2);
        }
    }

    @WatchedProcesses
    interface OnProcesses {}

    @FakeMesh(rows = 1, columns = 2)
    abstract static class MeshTestCase {
        @Test
        void runs(MeshDevice mesh) {
            assertShape(mesh, 1, 2);
        }
    }

    @FakeMesh(rows = 1, columns = 2)
    static class SameAsSuperclassTestCase extends MeshTestCase implements OnProcesses {}

    static class InheritingMeshTestCase extends MeshUnderProcessesTestCase {}

    @TrackAllocations
    @FakeMesh(rows = 1, columns = 2)
    static class MethodOverClassTestCase {
        @Test
        void ofClass(MeshDevice mesh) {
            assertShape(mesh, 1, 2);
        }

        @Test
        @TrackAllocations
        @FakeMesh(columns = 1)
        void ofMethodAsAWhole(MeshDevice mesh) {
            assertShape(mesh, 2, 1);
        }
    }

    @TrackAllocations
    abstract static class SuperTestCase {}

    static class InheritingTestCase extends SuperTestCase {
        @Test
        void leaks(MeshDevice mesh) {
            Buffers.take(mesh);
        }
    }

    @TrackAllocations
    interface Tracked {}

    static class ImplementingTestCase implements Tracked {
        @Test
        void leaks(MeshDevice mesh) {
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
        void keepsWeights(MeshDevice mesh) {
            assertShape(mesh, 1, 1);
            Buffers.take(mesh, "weights");
        }
    }

    @TrackAllocations
    @FakeMesh(rows = 1, columns = 2)
    static class OuterTestCase {
        @Test
        void outer(MeshDevice mesh) {
            assertShape(mesh, 1, 2);
        }

        @Nested
        class WithoutTestCase {
            @Test
            void inner(MeshDevice mesh) {
                assertShape(mesh, 1, 2);
            }
        }

        @Nested
        @TrackAllocations
        @FakeMesh(rows = 1, columns = 3)
        class WithTestCase {
            @Test
            void inner(MeshDevice mesh) {
                assertShape(mesh, 1, 3);
            }
        }
    }
}
