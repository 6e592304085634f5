package dev.meshguard.mesh;

import dev.meshguard.mesh.allocator.DeviceOutOfMemoryException;
import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.mesh.buffer.MeshBufferLayout;
import dev.meshguard.mesh.buffer.SubDeviceId;
import dev.meshguard.mesh.shape.MeshCoordinate;
import dev.meshguard.tracker.handle.EndOfPath;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A queue of work for all devices of a mesh: programs, writes, reads, events and recorded traces, in order.
 *
 * <p>Nothing is computed and no data is moved. Writes and reads have sizes only and finish at once. The model contains only
 * what the runtime records. A read that was not waited for stays outstanding. Freeing memory does not wait for a queue, so an
 * address can be reused while older work that uses it is still enqueued. Between two queues only events order this.
 *
 * <p>A sub-device on which one queue has enqueued a program belongs to it until it {@linkplain #finish finishes}, or until
 * another queue waits for an event that was recorded after the program. A queue counts as {@linkplain #isInUse in use} from the
 * first call that sends anything to the devices; only {@link MeshDevice#quiesceDevices} ends that.
 *
 * <p>Only fast dispatch is modelled. While a queue records a trace, the runtime records what any queue of the same devices
 * sends, and the result is undefined. Here the other queues throw an exception.
 *
 * <p>Safe for use by several threads, under the lock of the mesh. Sources: {@code
 * tt_metal/distributed/{fd_mesh_command_queue,mesh_command_queue_base}.cpp}.
 *
 * @since 0.1
 */
@EndOfPath
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class MeshCommandQueue {

    private static final Logger logger = LoggerFactory.getLogger(MeshCommandQueue.class);

    private final MeshDevice mesh;
    private final CommandQueues queues;
    private final int id;
    private final List<OutstandingRead> reads = new ArrayList<>();
    private volatile boolean inUse;
    private int lastEvent;
    private volatile @Nullable MeshTrace recording;

    MeshCommandQueue(MeshDevice mesh, CommandQueues queues, int id) {
        this.mesh = mesh;
        this.queues = queues;
        this.id = id;
    }

    /** Returns the number of the queue, from 0. */
    public int id() {
        return id;
    }

    /** Returns the mesh. */
    public MeshDevice device() {
        return mesh;
    }

    /** Returns whether it has sent anything to the devices since the mesh was opened or last quiesced. */
    public boolean isInUse() {
        return inUse;
    }

    /** Returns the trace that it records, if it does. */
    public Optional<TraceId> traceId() {
        return Optional.ofNullable(recording).map(MeshTrace::id);
    }

    /** Returns the number of reads that were not waited for. */
    public int numOutstandingReads() {
        return mesh.locked(reads::size);
    }

    /** Runs the programs of a workload without waiting for them; see {@link #enqueueMeshWorkload(MeshWorkload, Blocking)}. */
    public void enqueueMeshWorkload(MeshWorkload workload) {
        enqueueMeshWorkload(workload, Blocking.NON_BLOCKING);
    }

    /**
     * Runs the programs of a workload. The first run allocates their memory.
     *
     * <p>While the queue records a trace, they are recorded and not run. Their kernel binaries must be loaded already: run
     * every workload once before the capture begins.
     *
     * @throws DeviceOutOfMemoryException if there is no room for the kernel binary
     * @throws MeshRuntimeException if the mesh is closed, circular buffers do not fit, the workload was enqueued elsewhere, its
     *     programs do not run on one sub-device, another queue has work there, or a trace is recorded and the call would wait
     *     or load a binary
     */
    public void enqueueMeshWorkload(MeshWorkload workload, Blocking blocking) {
        sending("enqueueMeshWorkload", () -> enqueue(new EnqueuedWork.OnMesh(workload, mesh), blocking));
    }

    void enqueueProgram(int device, Program program) {
        sending(
                "enqueueProgram",
                List.of(device),
                () -> enqueue(new EnqueuedWork.OnOneDevice(program, mesh, device), Blocking.NON_BLOCKING));
    }

    /** Writes a buffer without waiting; see {@link #enqueueWriteMeshBuffer(MeshBuffer, long, Blocking)}. */
    public void enqueueWriteMeshBuffer(MeshBuffer buffer, long sourceSize) {
        enqueueWriteMeshBuffer(buffer, sourceSize, Blocking.NON_BLOCKING);
    }

    /**
     * Writes a buffer on all devices.
     *
     * <p>The runtime accepts a freed buffer and overwrites the memory that is at its address now. Strict mode throws an
     * exception.
     *
     * @param sourceSize the bytes of the source on the host; those beyond the size of the buffer are ignored
     * @throws MeshRuntimeException if the mesh is closed, a trace is recorded, or the source is smaller than the buffer (the
     *     wording of the last is this library's)
     * @throws IllegalArgumentException if the buffer is another mesh's
     * @throws BufferMisuseException if the buffer was freed, in strict mode
     */
    public void enqueueWriteMeshBuffer(MeshBuffer buffer, long sourceSize, Blocking blocking) {
        requireOwn(buffer);
        sending("enqueueWriteMeshBuffer", () -> {
            mesh.memory().requireUsable(buffer.allocation(), "write");
            if (sourceSize < buffer.size()) {
                throw new MeshRuntimeException(String.format(
                        Locale.ROOT,
                        "Cannot write a mesh buffer of %d B from a source of %d B: the source must be at least as large",
                        buffer.size(),
                        sourceSize));
            }
            inUse = true;
            requireNotRecording(DispatchMessages.WRITE_DURING_CAPTURE);
            waitIf(blocking);
        });
    }

    /**
     * Reads a whole buffer and waits for it: a sharded one, or a replicated one of a mesh of one device.
     *
     * @throws MeshRuntimeException if the mesh is closed, a trace is recorded, or the buffer's devices hold more than one copy
     * @throws IllegalArgumentException if the buffer is another mesh's
     * @throws BufferMisuseException if the buffer was freed, in strict mode
     */
    public void enqueueReadMeshBuffer(MeshBuffer buffer) {
        requireOwn(buffer);
        sending("enqueueReadMeshBuffer", () -> {
            mesh.memory().requireUsable(buffer.allocation(), "read");
            requireOneCopy(buffer);
            read(mesh.deviceIds(), Blocking.BLOCKING);
        });
    }

    /**
     * Reads the parts of a buffer on some devices.
     *
     * @param devices the coordinates of the devices; those of all devices for the whole buffer
     * @throws MeshRuntimeException if the mesh is closed or a trace is recorded
     * @throws IllegalArgumentException if the buffer is another mesh's or there is no device at a coordinate
     * @throws BufferMisuseException if the buffer was freed, in strict mode
     */
    public void enqueueReadShards(MeshBuffer buffer, List<MeshCoordinate> devices, Blocking blocking) {
        requireOwn(buffer);
        sending("enqueueReadShards", () -> {
            mesh.memory().requireUsable(buffer.allocation(), "read");
            read(devices.stream().map(mesh::deviceId).toList(), blocking);
        });
    }

    /**
     * Records an event after all work that was enqueued before.
     *
     * <p>The runtime has one kind of event for other queues and one for the host; here every event is both.
     *
     * @param subDevices the sub-devices whose work the event follows; by default the stall group of the mesh
     * @throws MeshRuntimeException if the mesh is closed, a trace is recorded, or there is no such sub-device
     */
    public MeshEvent enqueueRecordEvent(SubDeviceId... subDevices) {
        List<MeshEvent> recorded = new ArrayList<>();
        sending("enqueueRecordEvent", () -> recorded.add(record(List.of(subDevices))));
        return recorded.get(0);
    }

    /**
     * Makes all work that is enqueued later wait for an event of another queue.
     *
     * <p>Sub-devices on which that queue has enqueued nothing since the event become free for this one.
     *
     * @throws MeshRuntimeException if the mesh is closed or a trace is recorded
     * @throws IllegalArgumentException if the event is another mesh's
     */
    public void enqueueWaitForEvent(MeshEvent event) {
        if (event.device() != mesh) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT,
                    "Cannot let a queue of mesh %d wait for %s: only queues of one mesh wait for each other",
                    mesh.id(),
                    event));
        }
        sending("enqueueWaitForEvent", () -> {
            inUse = true;
            requireNotRecording(DispatchMessages.EVENT_DURING_CAPTURE);
            queues.uses().forEach(use -> use.waited(event, id));
        });
    }

    /**
     * Waits until all enqueued work is done: no read is outstanding, and the sub-devices are free.
     *
     * @param subDevices the sub-devices to free; by default the stall group of the mesh
     * @throws MeshRuntimeException if the mesh is closed, a trace is recorded, or there is no such sub-device
     */
    public void finish(SubDeviceId... subDevices) {
        sending("finish", () -> finish(List.of(subDevices)));
    }

    /** Replays a trace: its sub-devices belong to this queue from now on. */
    void enqueueTrace(MeshTrace trace, Blocking blocking) {
        requireNoneRecords();
        inUse = true;
        trace.subDevices().forEach(subDevice -> queues.use(subDevice).take(subDevice, id));
        waitIf(blocking);
    }

    /** Writes the buffer that keeps a trace, and waits for it. */
    void writeTrace() {
        inUse = true;
        waitIf(Blocking.BLOCKING);
    }

    void beginRecording(MeshTrace trace) {
        recording = trace;
    }

    void endRecording() {
        recording = null;
    }

    void markUsed() {
        inUse = true;
    }

    /** Finishes, marks the queue as unused, and restarts the event count. */
    void rest() {
        reads.clear();
        lastEvent = 0;
        inUse = false;
    }

    /** Completes the reads that were enqueued before an event. */
    void completeReadsBefore(MeshEvent event) {
        reads.removeIf(read -> read.lastEvent < event.id());
    }

    /**
     * Closes the queue.
     *
     * <p>The runtime logs the same three warnings if its completion queue is not empty. It has waited before, so only a device
     * that does not answer leaves a read.
     */
    void close() {
        if (!reads.isEmpty()) {
            warn("completion reader queue is not empty");
            Set<Integer> devices = new TreeSet<>();
            reads.forEach(read -> devices.addAll(read.devices));
            devices.forEach(device ->
                    warn(String.format(Locale.ROOT, "buffer read requests still outstanding for device %d", device)));
            warn(String.format(Locale.ROOT, "%d outstanding reads remaining", reads.size()));
        }
        reads.clear();
        recording = null;
        inUse = false;
    }

    private void warn(String what) {
        logger.warn(
                "FDMeshCommandQueue destructor: {} (command queue {} of mesh {}: call finish() before the mesh is closed)",
                what,
                id,
                mesh.id());
    }

    /** Takes programs; called under the lock of the mesh, from within an operation. */
    void enqueue(EnqueuedWork work, Blocking blocking) {
        requireNoOtherRecords();
        MeshTrace trace = recording;
        if (trace != null && !work.isLoaded()) {
            inUse = true;
            throw new MeshRuntimeException(DispatchMessages.BINARIES_NOT_ON_DEVICE);
        }
        work.load();
        inUse = true;
        SubDeviceId subDevice = work.subDevice();
        if (trace == null) {
            queues.use(subDevice).take(subDevice, id);
            if (blocking == Blocking.BLOCKING) {
                finish(List.of(subDevice));
            }
        } else {
            if (blocking == Blocking.BLOCKING) {
                throw new MeshRuntimeException(DispatchMessages.BLOCKING_DURING_CAPTURE);
            }
            trace.runOn(subDevice);
            work.recordIn(trace);
        }
    }

    private void read(List<Integer> devices, Blocking blocking) {
        inUse = true;
        requireNotRecording(DispatchMessages.READ_DURING_CAPTURE);
        reads.add(new OutstandingRead(lastEvent, devices));
        waitIf(blocking);
    }

    private MeshEvent record(List<SubDeviceId> subDevices) {
        inUse = true;
        requireNotRecording(DispatchMessages.EVENT_DURING_CAPTURE);
        lastEvent++;
        MeshEvent event = new MeshEvent(lastEvent, mesh, id);
        stalling(subDevices).forEach(subDevice -> queues.use(subDevice).recorded(event));
        return event;
    }

    private void finish(List<SubDeviceId> subDevices) {
        record(subDevices);
        reads.clear();
        stalling(subDevices).forEach(subDevice -> queues.use(subDevice).finished(id));
    }

    private void waitIf(Blocking blocking) {
        if (blocking == Blocking.BLOCKING) {
            finish(List.of());
        }
    }

    private List<SubDeviceId> stalling(List<SubDeviceId> named) {
        SubDeviceManager active = mesh.subDevices().active();
        if (named.isEmpty()) {
            return active.stallGroup();
        }
        for (SubDeviceId subDevice : named) {
            if (subDevice.value() >= active.numSubDevices()) {
                throw new MeshRuntimeException(DispatchMessages.invalidSubDevice(subDevice));
            }
        }
        return named;
    }

    private void sending(String name, Runnable work) {
        sending(name, mesh.deviceIds(), work);
    }

    /** Sends work to the devices, where an injected fault may happen. */
    private void sending(String name, List<Integer> devices, Runnable work) {
        mesh.underLock(() -> {
            mesh.memory().requireOpen();
            requireNoOtherRecords();
            mesh.operate(name, devices, work);
        });
    }

    /** The devices would take down the commands of all queues, not only of the one that records. */
    void requireNoneRecords() {
        queues.recording().ifPresent(this::rejectBecauseOf);
    }

    private void requireNoOtherRecords() {
        queues.recording().filter(other -> other != this).ifPresent(this::rejectBecauseOf);
    }

    private void rejectBecauseOf(MeshCommandQueue other) {
        throw new IllegalStateException(String.format(
                Locale.ROOT,
                "Cannot use command queue %d of mesh %d while queue %d records trace %s: the runtime would take down the commands"
                        + " of both (undefined behaviour). End the capture first.",
                id,
                mesh.id(),
                other.id,
                other.traceId().map(trace -> Integer.toString(trace.value())).orElse("")));
    }

    private void requireNotRecording(String otherwise) {
        if (recording != null) {
            throw new MeshRuntimeException(otherwise);
        }
    }

    private void requireOwn(MeshBuffer buffer) {
        if (buffer.device() != mesh) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT,
                    "Cannot use %s on command queue %d of mesh %d: it lies on mesh %d",
                    buffer,
                    id,
                    mesh.id(),
                    buffer.device().id()));
        }
    }

    private void requireOneCopy(MeshBuffer buffer) {
        if (buffer.globalLayout() == MeshBufferLayout.REPLICATED) {
            if (mesh.numDevices() > 1) {
                throw new MeshRuntimeException(DispatchMessages.READ_OF_REPLICATED_ON_MANY);
            }
        } else if (buffer.globalShardSpec().shardShape().volume() == 0) {
            throw new MeshRuntimeException(DispatchMessages.READ_OF_REPLICATED_DIMENSION);
        }
    }

    /** Returns mesh and number for a person to read. */
    @Override
    public String toString() {
        return String.format(Locale.ROOT, "MeshCommandQueue(%d of mesh %d)", id, mesh.id());
    }

    private record OutstandingRead(int lastEvent, List<Integer> devices) {}
}
