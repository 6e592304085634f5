package dev.meshguard.samples.reported;

import static dev.meshguard.samples.reported.OverwrittenTestCase.captured;
import static dev.meshguard.samples.reported.OverwrittenTestCase.read;
import static dev.meshguard.samples.reported.OverwrittenTestCase.tile;

import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Tensor;
import dev.meshguard.mesh.TraceId;
import dev.meshguard.mesh.Ttnn;
import org.junit.jupiter.api.Test;

/** The programs of {@link OverwrittenTestCase}, mended. */
@TrackAllocations
class MendedTracesTests {

    @Test
    void stagesStateBeforeTheCapture(Ttnn ttnn, MeshDevice mesh) {
        Tensor input = ttnn.empty(tile("hidden state"), mesh);
        Tensor staging = ttnn.empty(tile("staged state"), mesh);
        ttnn.add(input, input).close();
        TraceId decode = captured(ttnn, mesh, input);
        ttnn.executeTrace(mesh, decode);

        ttnn.deallocate(staging);
        ttnn.releaseTrace(mesh, decode);
        ttnn.deallocate(input);
    }

    @Test
    void loadsEachProgramBeforeTheCapture(Ttnn ttnn, MeshDevice mesh) {
        Tensor input = ttnn.empty(tile("hidden state"), mesh);
        ttnn.add(input, input).close();
        Tensor sampled = ttnn.matmul(input, input);
        TraceId decode = captured(ttnn, mesh, input);
        ttnn.executeTrace(mesh, decode);

        ttnn.deallocate(sampled);
        ttnn.releaseTrace(mesh, decode);
        ttnn.deallocate(input);
    }

    @Test
    void allocatesAllSlotsBeforeTheFirstCapture(Ttnn ttnn, MeshDevice mesh) {
        Tensor input = ttnn.empty(tile("hidden state"), mesh);
        Tensor slot = ttnn.empty(tile("input slot"), mesh);
        ttnn.add(input, input).close();
        TraceId prefill = captured(ttnn, mesh, input);
        TraceId decode = captured(ttnn, mesh, slot);
        ttnn.executeTrace(mesh, prefill);
        ttnn.executeTrace(mesh, decode);

        ttnn.releaseTrace(mesh, decode);
        ttnn.releaseTrace(mesh, prefill);
        ttnn.deallocate(slot);
        ttnn.deallocate(input);
    }

    @Test
    void freesTheInputAfterTheTrace(Ttnn ttnn, MeshDevice mesh) {
        Tensor input = ttnn.empty(tile("hidden state"), mesh);
        ttnn.add(input, input).close();
        TraceId decode = captured(ttnn, mesh, input);
        ttnn.executeTrace(mesh, decode);

        ttnn.releaseTrace(mesh, decode);
        ttnn.deallocate(input);
    }

    @Test
    void readsTheSampledTokenBeforeTheNextDecode(Ttnn ttnn, MeshDevice mesh) {
        Tensor logits = ttnn.empty(tile("logits"), mesh);
        ttnn.add(logits, logits).close();
        TraceId decode = captured(ttnn, mesh, logits);

        TraceId sampling = ttnn.beginTraceCapture(mesh);
        Tensor sampled = ttnn.add(logits, logits);
        mesh.endMeshTrace(0, sampling, 4_096);
        for (int token = 0; token < 3; token++) {
            ttnn.executeTrace(mesh, decode);
            ttnn.executeTrace(mesh, sampling);
            read(sampled, mesh);
        }

        ttnn.releaseTrace(mesh, sampling);
        ttnn.releaseTrace(mesh, decode);
        ttnn.deallocate(sampled);
        ttnn.deallocate(logits);
    }
}
