package dev.meshguard.junit;

import static dev.meshguard.junit.testkit.JupiterRun.run;
import static dev.meshguard.junit.testkit.RunAssert.assertThat;

import dev.meshguard.junit.mesh.FakeMesh;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Tensor;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.runtime.ReportingModel;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorShape;
import dev.meshguard.verdict.Outcome;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Buffers that the test frees after it closed the mesh itself were still allocated when close began. */
class LateFreesTests {

    @ParameterizedTest
    @ValueSource(
            classes = {
                InTheTestCase.class,
                InAfterEachTestCase.class,
                AroundTheCloseTestCase.class,
                UnreportedTestCase.class,
                WithGraceTestCase.class
            })
    void failTheTest(Class<?> fixture) {
        assertThat(run(fixture)).hasSingleTest().whichFailed().withVerdict(Outcome.FREED_LATE);
    }

    private static Tensor tensor(Ttnn ttnn, MeshDevice mesh) {
        return ttnn.empty(TensorShape.of(32, 64), DataType.BFLOAT16, mesh);
    }

    private static void freesLate(Ttnn ttnn, MeshDevice mesh) {
        Tensor late = tensor(ttnn, mesh);
        ttnn.closeMeshDevice(mesh);
        ttnn.deallocate(late);
    }

    @TrackAllocations
    static class InTheTestCase {
        @Test
        void decode(Ttnn ttnn, MeshDevice mesh) {
            freesLate(ttnn, mesh);
        }
    }

    @TrackAllocations
    static class InAfterEachTestCase {
        private Tensor late;

        @Test
        void decode(Ttnn ttnn, MeshDevice mesh) {
            late = tensor(ttnn, mesh);
            ttnn.closeMeshDevice(mesh);
        }

        @AfterEach
        void free(Ttnn ttnn) {
            ttnn.deallocate(late);
        }
    }

    @TrackAllocations
    static class AroundTheCloseTestCase {
        @Test
        void decode(Ttnn ttnn, MeshDevice mesh) {
            Tensor late = tensor(ttnn, mesh);
            try (AutoCloseable resource = () -> ttnn.deallocate(late)) {
                ttnn.closeMeshDevice(mesh);
            } catch (Exception impossible) {
                throw new IllegalStateException(impossible);
            }
        }
    }

    @TrackAllocations
    @FakeMesh(reporting = ReportingModel.MAIN)
    static class UnreportedTestCase {
        @Test
        void decode(Ttnn ttnn, MeshDevice mesh) {
            freesLate(ttnn, mesh);
        }
    }

    /** The extension closes nothing here. */
    @TrackAllocations(grace = "1 s")
    static class WithGraceTestCase {
        @Test
        void decode(Ttnn ttnn, MeshDevice mesh) {
            freesLate(ttnn, mesh);
        }
    }
}
