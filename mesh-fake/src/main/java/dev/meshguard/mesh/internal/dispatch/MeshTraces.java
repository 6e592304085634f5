package dev.meshguard.mesh.internal.dispatch;

import static dev.meshguard.mesh.runtime.RuntimeDefect.TRACE_BUFFER_KEPT_AFTER_RELEASE;
import static dev.meshguard.mesh.runtime.RuntimeDefect.TRACE_SIZE_NOT_LOWERED_ON_RELEASE;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.Owner;
import dev.meshguard.event.shortage.MemoryShortage;
import dev.meshguard.mesh.Blocking;
import dev.meshguard.mesh.TraceId;
import dev.meshguard.mesh.allocator.AllocationDirection;
import dev.meshguard.mesh.allocator.Allocator;
import dev.meshguard.mesh.allocator.HighWaterMarks;
import dev.meshguard.mesh.allocator.InsufficientMemoryException;
import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.mesh.buffer.BankLayout;
import dev.meshguard.mesh.buffer.BufferConfig;
import dev.meshguard.mesh.internal.allocation.Allocation;
import dev.meshguard.mesh.internal.allocation.Allocation.ReleaseReason;
import dev.meshguard.mesh.internal.context.MeshContext;
import dev.meshguard.mesh.internal.memory.MeshTrace;
import dev.meshguard.mesh.internal.memory.SubDeviceManager;
import dev.meshguard.text.InvariantText;
import dev.meshguard.text.Quantities;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The traces of one mesh and their memory: begins, ends, replays and releases them.
 *
 * <p>A trace belongs to the sub-device manager under which it was begun. Its buffer is a buffer of the mesh, in the trace
 * region or, without one, at the top of DRAM. It belongs to the trace until the trace is released, its manager is removed, or
 * the mesh is closed.
 *
 * <p>Guarded by the lock of the mesh. Sources: {@code tt_metal/distributed/{mesh_device,mesh_trace}.cpp}.
 */
public final class MeshTraces {

    private static final String POOL = "trace pool";

    private final MeshContext mesh;
    private final CommandQueues queues;
    private final Map<TraceId, Integer> captures = new HashMap<>();
    private long buffersSize;
    /** The bytes of the traces that have a buffer. */
    private long keptSize;

    public MeshTraces(MeshContext mesh, CommandQueues queues) {
        this.mesh = mesh;
        this.queues = queues;
    }

    /**
     * Makes a queue record.
     *
     * @param explicit the number of the trace; empty for the next one of the process, which is consumed even if this fails
     * @throws MeshRuntimeException if there is no such queue, it records already, or the active manager has a trace of the
     *     number
     * @throws IllegalStateException if another queue records
     */
    public TraceId begin(int queueId, Optional<TraceId> explicit) {
        CommandQueue queue = queues.queue(queueId);
        TraceId id = explicit.orElseGet(mesh.process()::nextTraceId);
        if (queue.traceId().isPresent()) {
            throw new MeshRuntimeException("CQ %d is already being used for tracing tid %d", queueId, id.value());
        }
        queue.requireNoneRecords();
        allocator().markAllocationsSafe();
        if (isDynamic()) {
            allocator().beginHighWaterMarkTracking(BufferType.DRAM);
        }
        SubDeviceManager manager = mesh.subDevices().active();
        if (manager.traces().containsKey(id)) {
            throw new MeshRuntimeException(
                    "Trace already exists for tid %d on device %d's active sub-device manager %d",
                    id.value(), mesh.id(), manager.id().value());
        }
        MeshTrace trace = new MeshTrace(id, ownerOf(id));
        manager.traces().put(id, trace);
        queue.beginRecording(trace);
        mesh.reports().listener().captureBegan(mesh.id(), trace.owner());
        return id;
    }

    /**
     * Returns the bytes of a whole trace.
     *
     * @throws IllegalArgumentException if there is not one
     */
    public static OptionalLong wholeSize(long bytes) {
        if (bytes < 1) {
            throw new IllegalArgumentException(InvariantText.of(
                    "Cannot end a trace with %d B: it holds at least the command that ends it", bytes));
        }
        return OptionalLong.of(bytes);
    }

    /**
     * Stops the recording of a queue and writes the trace.
     *
     * <p>Allocations count as unsafe afterwards in any case. If there is no room, the trace stays in the pool without a buffer,
     * and its size remains in the sum (quirk Q9).
     *
     * @param rawSize the bytes of the trace on the device with the most commands; empty to add up those of the programs
     * @throws MeshRuntimeException if the queue does not record the trace, the trace was released, or there is no place for it
     * @throws IllegalStateException if the size is neither given nor known; the queue continues to record
     */
    public void end(int queueId, TraceId id, OptionalLong rawSize) {
        CommandQueue queue = queues.queue(queueId);
        SubDeviceManager manager = mesh.subDevices().active();
        MeshTrace known = manager.traces().get(id);
        boolean records = queue.traceId().equals(Optional.of(id));
        if (records && known != null && rawSize.isEmpty()) {
            requireMeasured(known);
        }
        try {
            if (!records) {
                throw new MeshRuntimeException("CQ %d is not being used for tracing tid %d", queueId, id.value());
            }
            if (known == null) {
                throw new MeshRuntimeException(
                        "Trace instance %d must exist on device %d's active sub-device manager %d",
                        id.value(), mesh.id(), manager.id().value());
            }
            queue.endRecording();
            mesh.reports().listener().captureEnded(known.owner());
            keep(known, rawSize.orElseGet(known::rawSize));
            queue.writeTrace();
        } finally {
            allocator().markAllocationsUnsafe();
        }
    }

    /**
     * Lets a queue run a trace again.
     *
     * @throws MeshRuntimeException if there is no such queue, the active manager has no such trace, or another queue has work on one
     *     of its sub-devices
     * @throws IllegalStateException if the trace has no buffer, where the runtime would follow a null pointer, or a queue records
     */
    public void replay(int queueId, TraceId id, Blocking blocking) {
        CommandQueue queue = queues.queue(queueId);
        SubDeviceManager manager = mesh.subDevices().active();
        MeshTrace trace = manager.traces().get(id);
        if (trace == null) {
            throw new MeshRuntimeException(
                    "Trace instance %d must exist on Mesh device %d's active sub-device manager %d",
                    id.value(), mesh.id(), manager.id().value());
        }
        if (trace.kept().isEmpty()) {
            throw new IllegalStateException(InvariantText.of(
                    "Cannot replay trace %d of mesh %d: it has no buffer, because its capture has not ended or failed at the end"
                            + " (the runtime would crash). Release it and capture it again.",
                    id.value(), mesh.id()));
        }
        queue.enqueueTrace(trace, blocking);
    }

    /** Releases a trace of the active manager; does nothing for a trace of another one. */
    public void release(TraceId id) {
        MeshTrace trace = mesh.subDevices().active().traces().remove(id);
        if (trace != null) {
            discard(trace);
        }
        if (buffersSize == 0) {
            allocator().markAllocationsSafe();
        }
    }

    /** Discards the traces of a manager that is removed; the safety of allocations does not change. */
    public void discardAll(SubDeviceManager removed) {
        removed.traces().values().forEach(this::discard);
        removed.traces().clear();
    }

    /** Returns the buffer of a trace of the active manager, if it has one. */
    public Optional<Allocation> bufferOf(TraceId id) {
        return Optional.ofNullable(mesh.subDevices().active().traces().get(id)).flatMap(MeshTrace::kept);
    }

    public long buffersSize() {
        return buffersSize;
    }

    private void keep(MeshTrace trace, long rawSize) {
        HighWaterMarks marks =
                isDynamic() ? allocator().endHighWaterMarkTracking(BufferType.DRAM) : new HighWaterMarks(0, 0);
        long page = mesh.process()
                .settings()
                .preset()
                .tracePageSize(rawSize, allocator().numBanks(BufferType.DRAM));
        long padded = (rawSize + page - 1) / page * page;
        BufferConfig config = isDynamic()
                ? BufferConfig.of(BufferType.DRAM, padded, page).inDirection(AllocationDirection.TOP_DOWN)
                : BufferConfig.of(BufferType.TRACE, padded, page);
        buffersSize += padded;
        if (!isDynamic() && buffersSize > mesh.traceRegionSize()) {
            throw new InsufficientMemoryException(
                            "Creating trace buffers of size %dB on MeshDevice %d, but only %dB is allocated for trace region.",
                            buffersSize, mesh.id(), mesh.traceRegionSize())
                    .causedBy(shortageFor(config));
        }
        Allocation allocation =
                mesh.memory().allocateOnMesh(config, AllocationDetails.user().ownedBy(trace.owner()));
        keptSize += padded;
        trace.keepIn(allocation);
        mesh.reports().listener().ownerCached(trace.owner(), POOL);
        requireNotReached(allocation.address(), marks);
    }

    /**
     * Describes a trace region that is too small for the check of the runtime, which compares the bytes of all banks with those of
     * one.
     *
     * <p>The runtime counts rejected traces until the mesh is closed, and with a defect released ones too.
     */
    private MemoryShortage shortageFor(BufferConfig rejected) {
        long limit = mesh.traceRegionSize();
        long kept = keptSize + rejected.size();
        boolean isCountedOnly = kept <= limit;
        long needed = isCountedOnly ? buffersSize : kept;
        String scope = "in total over " + allocator().numBanks(BufferType.TRACE) + " banks";
        String countedOnly =
                mesh.reports().has(TRACE_SIZE_NOT_LOWERED_ON_RELEASE) ? "rejected or released" : "rejected";
        String why = InvariantText.of(
                "%sthe traces need %s %s, and the trace_region_size permits %s. In each bank the new one needs %s, and %s of"
                        + " the region is free",
                isCountedOnly ? "with those that were " + countedOnly + " " : "",
                Quantities.size(needed),
                scope,
                Quantities.size(limit),
                Quantities.size(BankLayout.of(rejected, allocator()).alignedSizePerBank()),
                Quantities.size(allocator().statistics(BufferType.TRACE).totalFree()));
        String advice = isCountedOnly
                ? "close the mesh and open it again: until then the runtime counts traces that were " + countedOnly
                : InvariantText.of(
                        "open the mesh with a trace_region_size of at least %d, which each bank sets aside", needed);
        return MemoryShortage.ofRegion(
                BufferType.TRACE,
                needed,
                limit,
                mesh.memory().allocatedTraces(),
                new MemoryShortage.Region(scope, why, advice));
    }

    /**
     * Checks that the trace does not overlap memory that was allocated or freed during the capture, because the trace uses that
     * memory.
     */
    private static void requireNotReached(long address, HighWaterMarks marks) {
        boolean byAllocations = address < marks.allocation();
        boolean byDeletions = address < marks.deletion();
        if (byAllocations && byDeletions) {
            throw new MeshRuntimeException(
                    "Trace buffer at address %d overlaps with DRAM activity during trace capture."
                            + " Allocation high water mark: %d, Deletion high water mark: %d."
                            + " Reduce allocations during trace capture or set a non-zero trace_region_size.",
                    address, marks.allocation(), marks.deletion());
        }
        if (byDeletions) {
            throw new MeshRuntimeException(
                    "Trace buffer at address %d overlaps with buffers deallocated during trace capture"
                            + " (deletion high water mark: %d)."
                            + " Avoid deallocating DRAM buffers during trace capture or set a non-zero trace_region_size.",
                    address, marks.deletion());
        }
        if (byAllocations) {
            throw new MeshRuntimeException(
                    "Trace buffer at address %d overlaps with buffers allocated during trace capture"
                            + " (allocation high water mark: %d)."
                            + " Reduce allocations during trace capture or set a non-zero trace_region_size.",
                    address, marks.allocation());
        }
    }

    /**
     * Does the work of the destructor of the trace's buffer. If the code under test freed the buffer itself, the size does not
     * change.
     */
    private void discard(MeshTrace trace) {
        Optional<Allocation> kept = trace.kept();
        if (kept.isEmpty()) {
            return;
        }
        if (!kept.get().isFreed() && !mesh.reports().has(TRACE_BUFFER_KEPT_AFTER_RELEASE)) {
            if (!mesh.reports().has(TRACE_SIZE_NOT_LOWERED_ON_RELEASE)) {
                buffersSize -= kept.get().size();
            }
            mesh.memory().free(kept.get(), ReleaseReason.DIED);
            keptSize -= kept.get().size();
        }
        mesh.reports().listener().ownerEnded(trace.owner());
    }

    /**
     * Returns whether traces without a region go to DRAM. The runtime of May 2026 does this; that of October 2025 keeps no such
     * traces.
     */
    private boolean isDynamic() {
        return mesh.traceRegionSize() == 0 && mesh.process().settings().preset().keepsTracesWithoutRegion();
    }

    private Allocator allocator() {
        return mesh.memory().allocator();
    }

    private void requireMeasured(MeshTrace trace) {
        boolean empty = trace.rawSize() == 0;
        if (!empty && trace.unmeasured().isEmpty()) {
            return;
        }
        String unknown = trace.unmeasured()
                .map(program -> InvariantText.of("the size of the commands of %s", program))
                .orElse("the size of a trace without commands");
        throw new IllegalStateException(InvariantText.of(
                "Cannot end the capture of trace %d on mesh %d: %s is unknown, and only the runtime could know. Give it with"
                        + " Program.setTraceSize(bytes) or OperationProfile.withTraceSize(bytes), or give the size of the whole"
                        + " trace to endMeshTrace(queue, trace, rawSize).",
                trace.id().value(), mesh.id(), unknown));
    }

    /** Returns a different name for each capture, so that the end of one is not attributed to another. */
    private Owner ownerOf(TraceId id) {
        int capture = captures.merge(id, 1, Integer::sum);
        String name = capture == 1
                ? InvariantText.of("%d of mesh %d", id.value(), mesh.id())
                : InvariantText.of("%d of mesh %d, capture %d", id.value(), mesh.id(), capture);
        return new Owner(Owner.Kind.TRACE, name);
    }
}
