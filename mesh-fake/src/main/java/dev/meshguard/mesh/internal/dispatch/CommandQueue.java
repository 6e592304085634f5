package dev.meshguard.mesh.internal.dispatch;

import dev.meshguard.event.AllocatorId;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Owner;
import dev.meshguard.mesh.Blocking;
import dev.meshguard.mesh.TraceId;
import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.mesh.buffer.SubDeviceId;
import dev.meshguard.mesh.internal.allocation.Allocation;
import dev.meshguard.mesh.internal.context.MeshContext;
import dev.meshguard.mesh.internal.memory.MeshTrace;
import dev.meshguard.mesh.internal.memory.SubDeviceManager;
import dev.meshguard.text.InvariantText;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One command queue of the mesh without hardware: it runs programs or records them in a trace, and counts its events.
 *
 * <p>{@code MeshCommandQueue} is the handle of the code under test. Guarded by the lock of the mesh, which callers hold;
 * whether the queue is in use and which trace it records can be read without it.
 */
public final class CommandQueue {

    private static final String WRITE_DURING_CAPTURE = "Writes are not supported during trace capture.";
    private static final String EVENT_DURING_CAPTURE = "Event Synchronization is not supported during trace capture.";

    private final MeshContext mesh;
    private final CommandQueues queues;
    private final int id;
    private volatile boolean inUse;
    private int lastEvent;
    private volatile @Nullable MeshTrace recording;

    CommandQueue(MeshContext mesh, CommandQueues queues, int id) {
        this.mesh = mesh;
        this.queues = queues;
        this.id = id;
    }

    public int id() {
        return id;
    }

    public boolean isInUse() {
        return inUse;
    }

    /** Returns the trace that it records, if it does. */
    public Optional<TraceId> traceId() {
        return Optional.ofNullable(recording).map(MeshTrace::id);
    }

    /** Runs or records programs, within an operation of the mesh. */
    public void enqueue(EnqueuedWork work, Blocking blocking) {
        requireNoOtherRecords();
        MeshTrace trace = recording;
        if (trace != null && !work.isLoaded().getAsBoolean()) {
            inUse = true;
            throw new MeshRuntimeException("Expected program binaries to be written to the MeshDevice.");
        }
        work.load().run();
        inUse = true;
        SubDeviceId subDevice = work.subDevice().get();
        if (trace == null) {
            queues.use(subDevice).take(subDevice, id);
            if (blocking == Blocking.BLOCKING) {
                finish(List.of(subDevice));
            }
        } else {
            if (blocking == Blocking.BLOCKING) {
                throw new MeshRuntimeException("Blocking is not supported when recording a trace.");
            }
            trace.runOn(subDevice);
            List<Owner> owners = work.recordIn().apply(trace);
            Optional<AllocatorId> cores = mesh.subDevices().idOf(subDevice);
            owners.forEach(owner -> mesh.reports().listener().programCaptured(trace.owner(), owner, cores));
        }
    }

    /** Reports that an operation or the host reads a buffer: as a part of the trace that the queue records, or at once. */
    public void reads(Allocation buffer) {
        queues.readsNow(buffer);
        recordsRead(queues.requestsAt(buffer));
    }

    /** Reports that an operation reads the buffers of requests, if the queue records a trace. */
    public void recordsRead(List<MemoryRequest> buffers) {
        MeshTrace trace = recording;
        if (trace != null) {
            buffers.forEach(buffer -> mesh.reports().listener().bufferCaptured(trace.owner(), buffer));
        }
    }

    /**
     * Reports that programs run whose buffers nobody knows: they may read every result of a trace that is allocated by now. If the
     * queue records a trace, each of its replays may.
     */
    public void readsUnknown() {
        List<Allocation> results = mesh.traceResults().on(mesh.devices());
        MeshTrace trace = recording;
        if (trace == null) {
            queues.reportReads(results);
        } else {
            trace.mayRead(results);
        }
    }

    /** Reports that an operation writes a whole buffer, if the queue records a trace. */
    public void writes(Allocation buffer) {
        MeshTrace trace = recording;
        if (trace != null) {
            buffer.request().ifPresent(request -> mesh.reports().listener().resultCaptured(trace.owner(), request));
            trace.write(buffer);
            mesh.traceResults().add(buffer);
        }
    }

    /** Writes a buffer. */
    public void write(Blocking blocking) {
        transfer(WRITE_DURING_CAPTURE, blocking);
    }

    /** Reads a buffer. */
    public void read(Blocking blocking) {
        transfer("Reads are not supported during trace capture.", blocking);
    }

    /** Reads and writes of a queue wait for the programs before them, and later programs wait for the reads and writes. */
    private void transfer(String rejectionDuringCapture, Blocking blocking) {
        inUse = true;
        requireNotRecording(rejectionDuringCapture);
        QueueEvent next = new QueueEvent(lastEvent + 1, id);
        waitedFor(List.of()).forEach(subDevice -> queues.use(subDevice).recorded(next));
        waitIf(blocking);
    }

    /** Records an event after all work that was enqueued before; without sub-devices, for all of the mesh. */
    public QueueEvent recordEvent(List<SubDeviceId> subDevices) {
        inUse = true;
        requireNotRecording(EVENT_DURING_CAPTURE);
        lastEvent++;
        QueueEvent event = new QueueEvent(lastEvent, id);
        waitedFor(subDevices).forEach(subDevice -> queues.use(subDevice).recorded(event));
        return event;
    }

    /** Makes all work that is enqueued later wait for an event of another queue. */
    public void waitFor(QueueEvent event) {
        inUse = true;
        requireNotRecording(EVENT_DURING_CAPTURE);
        queues.uses().forEach(use -> use.waited(event, id));
    }

    /** Waits until all enqueued work is done; without sub-devices, that of all of the mesh. */
    public void finish(List<SubDeviceId> subDevices) {
        recordEvent(subDevices);
        waitedFor(subDevices).forEach(subDevice -> queues.use(subDevice).finished(id));
    }

    /** Replays a trace: its sub-devices belong to this queue from now on. */
    void enqueueTrace(MeshTrace trace, Blocking blocking) {
        requireNoneRecords();
        inUse = true;
        trace.subDevices().forEach(subDevice -> queues.use(subDevice).take(subDevice, id));
        List<Owner> inFlight = queues.uses().stream()
                .flatMap(use -> use.replaysInFlight(id))
                .filter(other -> !other.equals(trace.owner()))
                .distinct()
                .toList();
        trace.subDevices().forEach(subDevice -> queues.use(subDevice).replayed(trace.owner()));
        queues.reportReads(trace.maybeRead());
        mesh.reports().listener().traceReplayed(trace.owner(), inFlight);
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
        lastEvent = 0;
        inUse = false;
    }

    void close() {
        recording = null;
        inUse = false;
    }

    private void waitIf(Blocking blocking) {
        if (blocking == Blocking.BLOCKING) {
            finish(List.of());
        }
    }

    private List<SubDeviceId> waitedFor(List<SubDeviceId> named) {
        SubDeviceManager active = mesh.subDevices().active();
        if (named.isEmpty()) {
            return active.subDeviceIds();
        }
        for (SubDeviceId subDevice : named) {
            if (subDevice.value() >= active.numSubDevices()) {
                throw new MeshRuntimeException("Invalid sub-device id specified %d", subDevice.value());
            }
        }
        return named;
    }

    /** The devices would take down the commands of all queues, not only of the one that records. */
    void requireNoneRecords() {
        queues.recording().ifPresent(this::rejectBecauseOf);
    }

    public void requireNoOtherRecords() {
        queues.recording().filter(other -> other != this).ifPresent(this::rejectBecauseOf);
    }

    /** Checks that it can write, for what allocates before it writes. */
    public void requireWritable() {
        requireNotRecording(WRITE_DURING_CAPTURE);
    }

    private void rejectBecauseOf(CommandQueue other) {
        throw new IllegalStateException(InvariantText.of(
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
}
