package dev.meshguard.mesh;

import static dev.meshguard.mesh.Rejections.assertRuntimeErrorBeginning;
import static dev.meshguard.mesh.runtime.RuntimeDefect.TRACE_BUFFER_KEPT_AFTER_RELEASE;
import static dev.meshguard.mesh.runtime.RuntimeDefect.TRACE_SIZE_NOT_LOWERED_ON_RELEASE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.meshguard.event.BufferType;
import dev.meshguard.mesh.runtime.RuntimeDefect;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Outcome;
import org.junit.jupiter.api.Test;

/** Tests the verdict on traces, also with the defects of traces. */
class TraceVerdictTests {

    private final AllocationTracker tracker = AllocationTracker.create();

    @Test
    void callsTheBufferOfATraceThatWasCapturedAnewCachedToo() {
        MeshDevice mesh = open();
        TraceId trace = captured(mesh);
        mesh.releaseMeshTrace(trace);
        mesh.beginMeshTrace(0, trace);
        mesh.endMeshTrace(0, trace, 1_000);

        mesh.close();

        assertThat(verdict().survivors()).hasSize(2).allMatch(survivor -> survivor.cause() == Cause.CACHED);
    }

    @Test
    void seesTheTraceRegionFillUpWhenTracesKeepTheirBuffers() {
        MeshDevice mesh = open(TRACE_BUFFER_KEPT_AFTER_RELEASE);
        mesh.releaseMeshTrace(captured(mesh));

        mesh.releaseMeshTrace(captured(mesh));

        assertThat(mesh.statistics(BufferType.TRACE).totalAllocated()).isEqualTo(2 * 1_024);
        assertThat(mesh.traceBuffersSize()).isEqualTo(2 * 1_024);
        TraceId third = mesh.beginMeshTrace(0);
        assertRuntimeErrorBeginning(
                () -> mesh.endMeshTrace(0, third, 1_000),
                "Creating trace buffers of size 3072B on MeshDevice 0,"
                        + " but only 2048B is allocated for trace region.\n");
    }

    @Test
    void findsNoLeakWhenOnlyTheSizeOfATraceIsKept() {
        MeshDevice mesh = open(TRACE_SIZE_NOT_LOWERED_ON_RELEASE);
        mesh.releaseMeshTrace(captured(mesh));

        mesh.close();

        assertThat(verdict().outcome()).isEqualTo(Outcome.LEAK_FREE);
    }

    @Test
    void saysThatTheRuntimeCountsReleasedTraces() {
        MeshDevice mesh = open(TRACE_SIZE_NOT_LOWERED_ON_RELEASE);
        mesh.releaseMeshTrace(captured(mesh));
        mesh.releaseMeshTrace(captured(mesh));

        TraceId third = mesh.beginMeshTrace(0);

        assertThatThrownBy(() -> mesh.endMeshTrace(0, third, 1_000))
                .hasMessageContaining(
                        "too small: with those that were rejected or released the traces need 3 KiB (3072 B) in total")
                .hasMessageEndingWith("until then the runtime counts traces that were rejected or released");
    }

    private MeshDevice open(RuntimeDefect... defects) {
        return Ttnn.builder(tracker)
                .defects(defects)
                .build()
                .openMeshDevice(MeshDeviceOptions.defaults()
                        .withMeshShape(MeshShape.of(1, 2))
                        .withTraceRegionSize(2_048));
    }

    private static TraceId captured(MeshDevice mesh) {
        TraceId trace = mesh.beginMeshTrace(0);
        mesh.endMeshTrace(0, trace, 1_000);
        return trace;
    }

    private LeakVerdict verdict() {
        return LeakCheck.create().examine(tracker.history());
    }
}
