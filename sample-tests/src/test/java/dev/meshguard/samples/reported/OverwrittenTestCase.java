package dev.meshguard.samples.reported;

import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.mesh.Blocking;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Tensor;
import dev.meshguard.mesh.TraceId;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.shape.MeshCoordinate;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorShape;
import dev.meshguard.mesh.tensor.TensorSpec;
import dev.meshguard.samples.support.Fixture;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Reported programs whose traces overwrite memory. Without a check, each gives wrong results or hangs. */
@Fixture
@TrackAllocations
class OverwrittenTestCase {

    /** tt-metal #54032: state is staged after the capture, and whether the replay hits it depends on the layout. */
    @Test
    void stagesStateAfterTheCapture(Ttnn ttnn, MeshDevice mesh) {
        Tensor input = ttnn.empty(tile("hidden state"), mesh);
        ttnn.add(input, input).close();
        TraceId decode = captured(ttnn, mesh, input);

        Tensor staging = ttnn.empty(tile("staged state"), mesh);
        ttnn.executeTrace(mesh, decode);

        ttnn.deallocate(staging);
        ttnn.releaseTrace(mesh, decode);
        ttnn.deallocate(input);
    }

    /** tt-metal #42698 and #52719: an operation first runs, and loads its program, while a trace exists. */
    @Test
    void loadsAProgramAfterTheCapture(Ttnn ttnn, MeshDevice mesh) {
        Tensor input = ttnn.empty(tile("hidden state"), mesh);
        ttnn.add(input, input).close();
        TraceId decode = captured(ttnn, mesh, input);

        Tensor sampled = ttnn.matmul(input, input);
        ttnn.executeTrace(mesh, decode);

        ttnn.deallocate(sampled);
        ttnn.releaseTrace(mesh, decode);
        ttnn.deallocate(input);
    }

    /** tt-mlir #9191: capturing again allocates new slots, which the older trace overwrites. */
    @Test
    void allocatesSlotsForASecondCapture(Ttnn ttnn, MeshDevice mesh) {
        Tensor input = ttnn.empty(tile("hidden state"), mesh);
        ttnn.add(input, input).close();
        TraceId prefill = captured(ttnn, mesh, input);

        Tensor slot = ttnn.empty(tile("input slot"), mesh);
        TraceId decode = captured(ttnn, mesh, slot);
        ttnn.executeTrace(mesh, prefill);
        ttnn.executeTrace(mesh, decode);

        ttnn.releaseTrace(mesh, decode);
        ttnn.releaseTrace(mesh, prefill);
        ttnn.deallocate(slot);
        ttnn.deallocate(input);
    }

    /** tt-metal #7794: the input of a trace is freed while the trace lives. */
    @Test
    void freesTheInputOfATrace(Ttnn ttnn, MeshDevice mesh) {
        Tensor input = ttnn.empty(tile("hidden state"), mesh);
        ttnn.add(input, input).close();
        TraceId decode = captured(ttnn, mesh, input);

        ttnn.deallocate(input);
        ttnn.executeTrace(mesh, decode);

        ttnn.releaseTrace(mesh, decode);
    }

    /** tt-metal #57299: a sampling trace is captured while the decode trace lives, and its result is read after the next decode. */
    @Test
    void readsTheSampledTokenAfterTheNextDecode(Ttnn ttnn, MeshDevice mesh) {
        Tensor logits = ttnn.empty(tile("logits"), mesh);
        ttnn.add(logits, logits).close();
        TraceId decode = captured(ttnn, mesh, logits);

        TraceId sampling = ttnn.beginTraceCapture(mesh);
        Tensor sampled = ttnn.add(logits, logits);
        mesh.endMeshTrace(0, sampling, 4_096);
        for (int token = 0; token < 3; token++) {
            ttnn.executeTrace(mesh, sampling);
            ttnn.executeTrace(mesh, decode);
            read(sampled, mesh);
        }

        ttnn.releaseTrace(mesh, sampling);
        ttnn.releaseTrace(mesh, decode);
        ttnn.deallocate(sampled);
        ttnn.deallocate(logits);
    }

    static void read(Tensor tensor, MeshDevice mesh) {
        mesh.commandQueue().enqueueReadShards(tensor.buffer(), List.of(MeshCoordinate.of(0, 0)), Blocking.BLOCKING);
    }

    static TraceId captured(Ttnn ttnn, MeshDevice mesh, Tensor input) {
        TraceId trace = ttnn.beginTraceCapture(mesh);
        ttnn.add(input, input).close(); // A temporary tensor: each replay writes there again.
        mesh.endMeshTrace(0, trace, 4_096);
        return trace;
    }

    static TensorSpec tile(String label) {
        return TensorSpec.of(TensorShape.of(32, 32), DataType.BFLOAT16).named(label);
    }
}
