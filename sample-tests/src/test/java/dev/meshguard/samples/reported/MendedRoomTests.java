package dev.meshguard.samples.reported;

import static dev.meshguard.samples.reported.NoRoomTestCase.activations;
import static dev.meshguard.samples.reported.NoRoomTestCase.captured;

import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.junit.mesh.FakeMesh;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Tensor;
import dev.meshguard.mesh.TraceId;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorShape;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The programs of {@link NoRoomTestCase}, mended. */
@TrackAllocations
class MendedRoomTests {

    @Test
    void freesActivationsBeforeTheOperation(Ttnn ttnn, MeshDevice mesh) {
        Tensor input = ttnn.empty(TensorShape.of(32, 32), DataType.BFLOAT16, mesh);
        Tensor first = ttnn.empty(activations("layer 1"), mesh);
        Tensor second = ttnn.empty(activations("layer 2"), mesh);
        Tensor third = ttnn.empty(activations("layer 3"), mesh);

        ttnn.deallocate(third);
        ttnn.add(input, input).close();

        List.of(input, first, second).forEach(ttnn::deallocate);
    }

    @Test
    void freesTheOutputOfEachProgram(Ttnn ttnn, MeshDevice mesh) {
        for (int program = 0; program < 4; program++) {
            ttnn.deallocate(ttnn.empty(activations("output"), mesh));
        }
    }

    @Test
    @FakeMesh(traceRegionSize = 2_097_152)
    void setsAsideInEachBankWhatTheTraceNeedsInAll(Ttnn ttnn, MeshDevice mesh) {
        Tensor input = ttnn.empty(TensorShape.of(32, 32), DataType.BFLOAT16, mesh);
        ttnn.add(input, input).close();

        TraceId trace = captured(ttnn, mesh, input, 2_097_152);

        ttnn.releaseTrace(mesh, trace);
        ttnn.deallocate(input);
    }
}
