package dev.meshguard.mesh;

import dev.meshguard.handle.NotSearched;
import dev.meshguard.mesh.allocator.DeviceOutOfMemoryException;
import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.mesh.buffer.SubDeviceId;
import dev.meshguard.mesh.internal.context.MeshLock;
import dev.meshguard.mesh.internal.dispatch.CommandQueue;
import dev.meshguard.mesh.internal.dispatch.EnqueuedWork;
import dev.meshguard.mesh.internal.dispatch.QueueEvent;
import dev.meshguard.mesh.shape.MeshCoordinate;
import dev.meshguard.text.InvariantText;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * A queue of work for all devices of a mesh: programs, writes, reads, events and recorded traces, in order.
 *
 * <p>Nothing is computed and no data is moved. Writes and reads have sizes only and finish at once. The model contains only
 * what the runtime records. Freeing memory does not wait for a queue, so an address can be reused while older work that uses it is still enqueued. Between two queues only events order this.
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
@NotSearched
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class MeshCommandQueue {

    private final MeshDevice mesh;
    private final CommandQueue queue;

    MeshCommandQueue(MeshDevice mesh, CommandQueue queue) {
        this.mesh = mesh;
        this.queue = queue;
    }

    /** Returns the number of the queue, from 0. */
    public int id() {
        return queue.id();
    }

    /** Returns the mesh. */
    public MeshDevice device() {
        return mesh;
    }

    /** Returns whether it has sent anything to the devices since the mesh was opened or last quiesced. */
    public boolean isInUse() {
        return queue.isInUse();
    }

    /** Returns the trace that it records, if it does. */
    public Optional<TraceId> traceId() {
        return queue.traceId();
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
        sending("enqueueMeshWorkload", () -> enqueueOwn(workload.on(mesh), blocking));
    }

    /** Programs of the code under test do not say which buffers they read. */
    private void enqueueOwn(EnqueuedWork work, Blocking blocking) {
        queue.enqueue(work, blocking);
        queue.readsUnknown();
    }

    void enqueueProgram(int device, Program program) {
        sending(
                "enqueueProgram",
                List.of(device),
                () -> enqueueOwn(program.on(mesh.context(), device), Blocking.NON_BLOCKING));
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
        sending("enqueueWriteMeshBuffer", buffer, "write", () -> {
            if (sourceSize < buffer.size()) {
                throw new MeshRuntimeException(
                        "Cannot write a mesh buffer of %d B from a source of %d B: the source must be at least as large",
                        buffer.size(), sourceSize);
            }
            queue.write(blocking);
        });
    }

    /**
     * Reads a whole buffer of a mesh of one device and waits for it.
     *
     * @throws MeshRuntimeException if the mesh is closed, a trace is recorded, or the mesh has more devices, each with a copy
     * @throws IllegalArgumentException if the buffer is another mesh's
     * @throws BufferMisuseException if the buffer was freed, in strict mode
     */
    public void enqueueReadMeshBuffer(MeshBuffer buffer) {
        sending("enqueueReadMeshBuffer", buffer, "read", () -> {
            if (mesh.numDevices() > 1) {
                throw new MeshRuntimeException(
                        "Can only read a Sharded MeshBuffer from a MeshDevice or a Replicated MeshBuffer from a Unit-Mesh.");
            }
            queue.read(Blocking.BLOCKING);
            queue.reads(buffer.allocation());
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
        sending("enqueueReadShards", buffer, "read", () -> {
            devices.forEach(mesh::deviceId);
            queue.read(blocking);
            queue.reads(buffer.allocation());
        });
    }

    /**
     * Records an event after all work that was enqueued before.
     *
     * <p>The runtime has another kind of event for the host to wait for: no memory depends on it.
     *
     * @param subDevices the sub-devices whose work the event follows; by default all of the mesh
     * @throws MeshRuntimeException if the mesh is closed, a trace is recorded, or there is no such sub-device
     */
    public MeshEvent enqueueRecordEvent(SubDeviceId... subDevices) {
        List<QueueEvent> recorded = new ArrayList<>();
        sending("enqueueRecordEvent", () -> recorded.add(queue.recordEvent(List.of(subDevices))));
        QueueEvent event = recorded.get(0);
        return new MeshEvent(event.id(), mesh, event.queue());
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
            throw new IllegalArgumentException(InvariantText.of(
                    "Cannot let a queue of mesh %d wait for %s: only queues of one mesh wait for each other",
                    mesh.id(), event));
        }
        sending("enqueueWaitForEvent", () -> queue.waitFor(new QueueEvent(event.id(), event.queue())));
    }

    /**
     * Waits until all enqueued work is done: the sub-devices are free.
     *
     * @param subDevices the sub-devices to free; by default all of the mesh
     * @throws MeshRuntimeException if the mesh is closed, a trace is recorded, or there is no such sub-device
     */
    public void finish(SubDeviceId... subDevices) {
        sending("finish", () -> queue.finish(List.of(subDevices)));
    }

    private void sending(String name, MeshBuffer buffer, String use, Runnable work) {
        if (buffer.device() != mesh) {
            throw new IllegalArgumentException(InvariantText.of(
                    "Cannot use %s on command queue %d of mesh %d: it lies on mesh %d",
                    buffer, id(), mesh.id(), buffer.device().id()));
        }
        sending(name, () -> {
            mesh.context().memory().requireUsable(buffer.allocation(), use);
            work.run();
        });
    }

    private void sending(String name, Runnable work) {
        sending(name, mesh.deviceIds(), work);
    }

    /** Sends work to the devices, where an injected fault may happen. */
    private void sending(String name, List<Integer> devices, Runnable work) {
        try (MeshLock held = mesh.context().acquireOpen()) {
            queue.requireNoOtherRecords();
            mesh.operate(name, devices, work);
        }
    }

    /** Returns mesh and number for a person to read. */
    @Override
    public String toString() {
        return InvariantText.of("MeshCommandQueue(%d of mesh %d)", id(), mesh.id());
    }
}
