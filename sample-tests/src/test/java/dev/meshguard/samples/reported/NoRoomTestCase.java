package dev.meshguard.samples.reported;

import static dev.meshguard.event.BufferType.L1;

import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Tensor;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorShape;
import dev.meshguard.mesh.tensor.TensorSpec;
import dev.meshguard.samples.support.Fixture;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Reported programs for which the memory has no room. The runtime's text names no buffer. */
@Fixture
@TrackAllocations
class NoRoomTestCase {

    /** tt-metal #28835: circular buffers clash with L1 buffers. */
    @Test
    void keepsActivationsWhereCircularBuffersLie(Ttnn ttnn, MeshDevice mesh) {
        Tensor input = ttnn.empty(TensorShape.of(32, 32), DataType.BFLOAT16, mesh);
        Tensor first = ttnn.empty(activations("layer 1"), mesh);
        Tensor second = ttnn.empty(activations("layer 2"), mesh);
        Tensor third = ttnn.empty(activations("layer 3"), mesh);

        ttnn.add(input, input).close();

        List.of(input, first, second, third).forEach(ttnn::deallocate);
    }

    /** tt-mlir #588 and tt-xla #1638: each program leaves a buffer behind, until the memory is full. */
    @Test
    void leavesTheOutputOfEachProgramBehind(Ttnn ttnn, MeshDevice mesh) {
        List<Tensor> outputs = new ArrayList<>();
        for (int program = 0; program < 4; program++) {
            outputs.add(ttnn.empty(activations("output"), mesh));
        }
        outputs.forEach(ttnn::deallocate);
    }

    static TensorSpec activations(String label) {
        return TensorSpec.of(TensorShape.of(1, 1, 7_264, 2_048), DataType.BFLOAT16)
                .in(L1)
                .named(label);
    }
}
