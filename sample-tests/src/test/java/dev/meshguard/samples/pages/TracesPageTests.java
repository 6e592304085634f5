package dev.meshguard.samples.pages;

import dev.meshguard.junit.ExpectBuffers;
import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Tensor;
import dev.meshguard.mesh.TraceId;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorShape;
import dev.meshguard.mesh.tensor.TensorSpec;
import dev.meshguard.report.VerdictReport;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.LeakCheck;
import org.junit.jupiter.api.Test;

/** The examples of the page on traces: what a replay overwrites, and what it does not. */
@TrackAllocations
class TracesPageTests {

    @Test
    void theStagingBufferExistsBeforeTheCapture(Ttnn ttnn, MeshDevice mesh) {
        Tensor input = tensor("input", ttnn, mesh);
        Tensor staging = tensor("staging", ttnn, mesh);
        ttnn.add(input, input).close(); // The first run loads the program.

        TraceId decode = ttnn.beginTraceCapture(mesh);
        ttnn.add(input, input).close(); // A temporary tensor: each replay writes there again.
        mesh.endMeshTrace(0, decode, 4_096);
        ttnn.executeTrace(mesh, decode);

        ttnn.releaseTrace(mesh, decode);
        ttnn.deallocate(staging);
        ttnn.deallocate(input);
    }

    @Test
    void twoTracesShareTemporaryMemory(Ttnn ttnn, MeshDevice mesh) {
        Tensor input = tensor("input", ttnn, mesh);
        ttnn.add(input, input).close();

        TraceId prefill = captured(ttnn, mesh, input);
        TraceId decode = captured(ttnn, mesh, input);
        ttnn.executeTrace(mesh, prefill);
        ttnn.executeTrace(mesh, decode);
        ttnn.executeTrace(mesh, decode);

        ttnn.releaseTrace(mesh, decode);
        ttnn.releaseTrace(mesh, prefill);
        ttnn.deallocate(input);
    }

    @Test
    @ExpectBuffers(label = "scratch", overwritten = true, because = "is written anew before each use")
    void theDataIsNotNeededAfterTheReplay(Ttnn ttnn, MeshDevice mesh) {
        Tensor input = tensor("input", ttnn, mesh);
        ttnn.add(input, input).close();
        TraceId decode = captured(ttnn, mesh, input);
        Tensor scratch = tensor("scratch", ttnn, mesh);
        ttnn.executeTrace(mesh, decode);

        ttnn.releaseTrace(mesh, decode);
        ttnn.deallocate(scratch);
        ttnn.deallocate(input);
    }

    /** Returns the text about a buffer that is allocated after the capture. */
    String overwritten() {
        AllocationTracker tracker = AllocationTracker.create();
        Ttnn ttnn = Ttnn.create(tracker);
        MeshDevice mesh = ttnn.openMeshDevice();
        Tensor input = tensor("input", ttnn, mesh);
        ttnn.add(input, input).close();
        TraceId decode = captured(ttnn, mesh, input);
        Tensor staging = tensor("staging", ttnn, mesh);
        ttnn.executeTrace(mesh, decode);
        ttnn.executeTrace(mesh, decode);
        ttnn.releaseTrace(mesh, decode);
        ttnn.deallocate(staging);
        ttnn.deallocate(input);
        mesh.disableAndClearProgramCache();
        ttnn.closeMeshDevice(mesh);
        tracker.checked();
        return VerdictReport.of(LeakCheck.create().examine(tracker.history())).text();
    }

    private static TraceId captured(Ttnn ttnn, MeshDevice mesh, Tensor input) {
        TraceId trace = ttnn.beginTraceCapture(mesh);
        ttnn.add(input, input).close();
        mesh.endMeshTrace(0, trace, 4_096);
        return trace;
    }

    private static Tensor tensor(String label, Ttnn ttnn, MeshDevice mesh) {
        return ttnn.empty(
                TensorSpec.of(TensorShape.of(32, 32), DataType.BFLOAT16).named(label), mesh);
    }
}
