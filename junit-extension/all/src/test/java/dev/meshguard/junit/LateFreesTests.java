package dev.meshguard.junit;

import dev.meshguard.junit.mesh.FakeMesh;
import dev.meshguard.junit.testkit.MustFail;
import dev.meshguard.junit.testkit.WithFixtures;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Tensor;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.runtime.ReportingModel;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorShape;
import dev.meshguard.verdict.Outcome;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Buffers that the test frees after it closed the mesh itself were still allocated when close began. */
class LateFreesTests implements WithFixtures {

    @TrackAllocations
    static class LateTestCase {

        private Optional<Tensor> freedAfterwards = Optional.empty();

        @AfterEach
        void free(Ttnn ttnn) {
            freedAfterwards.ifPresent(ttnn::deallocate);
        }

        private static Tensor tensor(Ttnn ttnn, MeshDevice mesh) {
            return ttnn.empty(TensorShape.of(32, 64), DataType.BFLOAT16, mesh);
        }

        @Test
        @MustFail(verdict = Outcome.FREED_LATE)
        void inTheTest(Ttnn ttnn, MeshDevice mesh) {
            Tensor late = tensor(ttnn, mesh);
            ttnn.closeMeshDevice(mesh);
            ttnn.deallocate(late);
        }

        @Test
        @MustFail(verdict = Outcome.FREED_LATE)
        void inAfterEach(Ttnn ttnn, MeshDevice mesh) {
            freedAfterwards = Optional.of(tensor(ttnn, mesh));
            ttnn.closeMeshDevice(mesh);
        }

        @Test
        @MustFail(verdict = Outcome.FREED_LATE)
        void aroundTheClose(Ttnn ttnn, MeshDevice mesh) throws Exception {
            Tensor late = tensor(ttnn, mesh);
            try (AutoCloseable resource = () -> ttnn.deallocate(late)) {
                ttnn.closeMeshDevice(mesh);
            }
        }

        @Test
        @MustFail(verdict = Outcome.FREED_LATE)
        @FakeMesh(reporting = ReportingModel.MAIN)
        void thoughTheyAreNotReported(Ttnn ttnn, MeshDevice mesh) {
            inTheTest(ttnn, mesh);
        }

        /** The extension closes nothing here. */
        @Test
        @MustFail(verdict = Outcome.FREED_LATE)
        @TrackAllocations(grace = "1 s")
        void withAGrace(Ttnn ttnn, MeshDevice mesh) {
            inTheTest(ttnn, mesh);
        }
    }
}
