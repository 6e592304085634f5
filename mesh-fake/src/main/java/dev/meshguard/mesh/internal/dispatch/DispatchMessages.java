package dev.meshguard.mesh.internal.dispatch;

import dev.meshguard.mesh.SubDeviceManagerId;
import dev.meshguard.mesh.TraceId;
import dev.meshguard.mesh.buffer.SubDeviceId;
import java.util.Locale;

/**
 * The texts of the runtime's command queues and traces, verbatim.
 *
 * <p>Sources: {@code tt_metal/distributed/{mesh_device,mesh_trace,fd_mesh_command_queue,mesh_command_queue_base}.cpp},
 * {@code tt_metal/impl/dispatch/cq_shared_state.cpp} and {@code tt_metal/impl/buffers/dispatch.cpp}.
 */
public final class DispatchMessages {

    static final String WRITE_DURING_CAPTURE = "Writes are not supported during trace capture.";
    static final String READ_DURING_CAPTURE = "Reads are not supported during trace capture.";
    static final String EVENT_DURING_CAPTURE = "Event Synchronization is not supported during trace capture.";
    static final String BLOCKING_DURING_CAPTURE = "Blocking is not supported when recording a trace.";
    static final String BINARIES_NOT_ON_DEVICE = "Expected program binaries to be written to the MeshDevice.";
    static final String RESET_DURING_CAPTURE = "Cannot reset worker state during trace capture";
    public static final String READ_OF_REPLICATED_ON_MANY =
            "Can only read a Sharded MeshBuffer from a MeshDevice or a Replicated MeshBuffer from a Unit-Mesh.";
    public static final String QUIESCE_WITH_MANAGER = "Cannot quiesce when non-default sub-device manager is active";

    private DispatchMessages() {}

    static String queueOutOfRange(int queue) {
        return String.format(Locale.ROOT, "cq_id %d is out of range", queue);
    }

    static String queueInUseByParent(int queue, int parent, int closing) {
        return String.format(
                Locale.ROOT,
                "MeshDevice cq ID %d is in use by parent mesh ID %d during close of mesh ID %d",
                queue,
                parent,
                closing);
    }

    static String queueInUseByChild(int queue, int child, int closing) {
        return String.format(
                Locale.ROOT,
                "MeshDevice cq ID %d is in use by child submesh ID %d during close of mesh ID %d",
                queue,
                child,
                closing);
    }

    static String subDeviceInUse(SubDeviceId subDevice, int owner, int queue) {
        return String.format(
                Locale.ROOT,
                "Sub device id %d currently in use by cq %d. Can't enqueue program from cq %d. Finish or wait"
                        + " for an event to transfer ownership.",
                subDevice.value(),
                owner,
                queue);
    }

    static String invalidSubDevice(SubDeviceId subDevice) {
        return String.format(Locale.ROOT, "Invalid sub-device id specified %d", subDevice.value());
    }

    static String queueTracesAlready(int queue, TraceId trace) {
        return String.format(Locale.ROOT, "CQ %d is already being used for tracing tid %d", queue, trace.value());
    }

    static String queueDoesNotTrace(int queue, TraceId trace) {
        return String.format(Locale.ROOT, "CQ %d is not being used for tracing tid %d", queue, trace.value());
    }

    static String traceExists(TraceId trace, int mesh, SubDeviceManagerId manager) {
        return String.format(
                Locale.ROOT,
                "Trace already exists for tid %d on device %d's active sub-device manager %d",
                trace.value(),
                mesh,
                manager.value());
    }

    static String traceMissingAtEnd(TraceId trace, int mesh, SubDeviceManagerId manager) {
        return String.format(
                Locale.ROOT,
                "Trace instance %d must exist on device %d's active sub-device manager %d",
                trace.value(),
                mesh,
                manager.value());
    }

    static String traceMissingAtReplay(TraceId trace, int mesh, SubDeviceManagerId manager) {
        return String.format(
                Locale.ROOT,
                "Trace instance %d must exist on Mesh device %d's active sub-device manager %d",
                trace.value(),
                mesh,
                manager.value());
    }

    static String traceRegionFull(long buffersSize, int mesh, long regionSize) {
        return String.format(
                Locale.ROOT,
                "Creating trace buffers of size %dB on MeshDevice %d, but only %dB is allocated for trace region.",
                buffersSize,
                mesh,
                regionSize);
    }

    static String traceOverlapsActivity(long address, long allocationMark, long deletionMark) {
        return String.format(
                Locale.ROOT,
                "Trace buffer at address %d overlaps with DRAM activity during trace capture."
                        + " Allocation high water mark: %d, Deletion high water mark: %d."
                        + " Reduce allocations during trace capture or set a non-zero trace_region_size.",
                address,
                allocationMark,
                deletionMark);
    }

    static String traceOverlapsDeallocated(long address, long deletionMark) {
        return String.format(
                Locale.ROOT,
                "Trace buffer at address %d overlaps with buffers deallocated during trace capture"
                        + " (deletion high water mark: %d)."
                        + " Avoid deallocating DRAM buffers during trace capture or set a non-zero trace_region_size.",
                address,
                deletionMark);
    }

    static String traceOverlapsAllocated(long address, long allocationMark) {
        return String.format(
                Locale.ROOT,
                "Trace buffer at address %d overlaps with buffers allocated during trace capture"
                        + " (allocation high water mark: %d)."
                        + " Reduce allocations during trace capture or set a non-zero trace_region_size.",
                address,
                allocationMark);
    }
}
