package dev.meshguard.samples.reported;

import static dev.meshguard.event.BufferType.L1;

import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.junit.mesh.FakeMesh;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Tensor;
import dev.meshguard.mesh.TraceId;
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

    /** tt-metal #35259: the trace fits into the region, but the runtime compares its bytes in all banks with the size of one. */
    @Test
    @FakeMesh(traceRegionSize = 1_048_576)
    void capturesATraceThatFits(Ttnn ttnn, MeshDevice mesh) {
        Tensor input = ttnn.empty(TensorShape.of(32, 32), DataType.BFLOAT16, mesh);
        ttnn.add(input, input).close();

        TraceId trace = captured(ttnn, mesh, input, 2_097_152);

        ttnn.releaseTrace(mesh, trace);
        ttnn.deallocate(input);
    }

    /** tt-metal #44434: the warm-up captures batches of one request; a batch of two needs a trace of its own. */
    @Test
    @FakeMesh(traceRegionSize = 235_929_600)
    void capturesATraceForEachBatchSize(Ttnn ttnn, MeshDevice mesh) {
        Tensor input = ttnn.empty(TensorShape.of(32, 32), DataType.BFLOAT16, mesh);
        ttnn.add(input, input).close();

        TraceId one = captured(ttnn, mesh, input, 180_000_000);
        TraceId two = captured(ttnn, mesh, input, 57_000_000);

        ttnn.releaseTrace(mesh, two);
        ttnn.releaseTrace(mesh, one);
        ttnn.deallocate(input);
    }

    static TraceId captured(Ttnn ttnn, MeshDevice mesh, Tensor input, long bytes) {
        TraceId trace = ttnn.beginTraceCapture(mesh);
        ttnn.add(input, input).close();
        ttnn.endTraceCapture(mesh, trace, 0, bytes);
        return trace;
    }

    static TensorSpec activations(String label) {
        return TensorSpec.of(TensorShape.of(1, 1, 7_264, 2_048), DataType.BFLOAT16)
                .in(L1)
                .named(label);
    }
}
