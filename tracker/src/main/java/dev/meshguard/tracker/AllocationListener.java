package dev.meshguard.tracker;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.AllocatorId;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.CacheKey;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.IgnoredFreeReason;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.event.Owner;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.Phase;
import dev.meshguard.event.SourceDescription;
import dev.meshguard.event.WitnessSnapshot;
import java.util.List;
import java.util.Optional;
import java.util.function.LongFunction;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Receives everything that a source reports: allocated and freed buffers, opened and closed meshes and devices, traces, and reports that
 * were lost.
 *
 * <p>A source is a mesh without hardware, an adapter around a device binding, or a server to which real processes
 * report. This interface corresponds to a processor of the {@code GraphTracker} in tt-metal
 * ({@code tt_metal/impl/graph/graph_tracking.cpp}). {@link AllocationTracker} is the listener that records.
 *
 * <p>One call of the code under test is one request, on any number of devices. Create it once with
 * {@link #request(AllocationDetails)} and report each device's buffer with it. Eight buffers of one mesh buffer are
 * then recognised as one, with one origin.
 *
 * <pre>{@code
 * MemoryRequest request = listener.request(AllocationDetails.user());
 * for (int device : devices) {
 *     listener.allocated(request, device, BufferType.DRAM, address, size, Ownership.NON_OWNING);
 * }
 * }</pre>
 *
 * <p>Several meshes may share a device: a mesh and its submeshes, or a second mesh over active devices. Each has an
 * allocator of its own, so all of them use the same addresses. A source with such meshes
 * <ul>
 *   <li>names the mesh in the details of every request and release of a buffer ({@link AllocationDetails#onMesh(int)}),
 *   <li>reports a device opened when it is initialised, not when another mesh begins to use it,
 *   <li>reports a device closed when the last mesh stops using it.
 * </ul>
 *
 * <p>Any thread may call a listener. A listener must neither block nor throw because of what the code under test did.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public interface AllocationListener {

    /** Begins one allocation request. The listener may capture the caller's stack as its origin; by default there is none. */
    default MemoryRequest request(AllocationDetails details) {
        return MemoryRequest.of(details);
    }

    /** Begins one request that frees memory. If its details name a mesh, it frees memory of that mesh. By default it has no origin. */
    default MemoryRequest release(AllocationDetails details) {
        return MemoryRequest.of(details);
    }

    /**
     * Begins one request that frees whatever memory is at an address. The listener may capture the caller's stack, because such a
     * request can free memory of a buffer in use.
     */
    default MemoryRequest releaseByAddress(AllocationDetails details) {
        return release(details);
    }

    /**
     * Reports one buffer on one device.
     *
     * @param request the request that the buffer belongs to
     * @param device the device id, 0 or more
     * @param type the memory
     * @param address the first address, in bytes
     * @param size the size, in bytes
     * @param ownership whether the reporting object owns the memory
     */
    void allocated(MemoryRequest request, int device, BufferType type, long address, long size, Ownership ownership);

    /** Reports that one buffer on one device was freed. */
    void freed(MemoryRequest release, int device, BufferType type, long address, Ownership ownership);

    /** Reports that the runtime ignored a call that frees a buffer. Does nothing by default. */
    default void freeIgnored(
            MemoryRequest release, int device, BufferType type, long address, IgnoredFreeReason reason) {}

    /** Begins a phase. Closing the scope returns to the phase before. Does nothing by default. */
    default Scope phase(Phase phase) {
        return () -> {};
    }

    /**
     * Reports an event without an address. The other methods for such events call this one by default, so a listener that forwards
     * or inspects them overrides only this method. Meshes, phases and handles have methods of their own.
     *
     * <p>Does nothing by default.
     *
     * @param event makes the event from its number in the history; must not call this listener
     */
    default void reported(LongFunction<HistoryEvent> event) {}

    /** Reports that a cache now keeps an owner, for example {@code program cache}. */
    default void ownerCached(Owner owner, String cache) {
        reported(number -> new HistoryEvent.OwnerCached(number, owner, cache, Optional.empty()));
    }

    /** Reports that a cache now keeps an owner under a key that it did not have. */
    default void ownerCached(Owner owner, String cache, CacheKey key) {
        reported(number -> new HistoryEvent.OwnerCached(number, owner, cache, Optional.of(key)));
    }

    /** Reports the end of an owner. Its buffers cannot be in use afterwards. */
    default void ownerEnded(Owner owner) {
        reported(number -> new HistoryEvent.OwnerEnded(number, owner));
    }

    /**
     * Reports that a mesh records a trace from now on. The end of a trace is {@link #ownerEnded}.
     *
     * @param mesh the mesh whose allocations during the capture belong to the trace
     * @param trace the trace; a capture under a number that was used before needs another name
     */
    default void captureBegan(int mesh, Owner trace) {
        reported(number -> new HistoryEvent.CaptureBegan(number, mesh, trace));
    }

    /**
     * Reports that a trace has recorded a program: each replay overwrites its circular buffers and reads its binaries.
     *
     * @param subDevice the allocator of the sub-device whose cores run the program; empty if the mesh is not divided
     */
    default void programCaptured(Owner trace, Owner program, Optional<AllocatorId> subDevice) {
        reported(number -> new HistoryEvent.ProgramCaptured(number, trace, program, subDevice));
    }

    /**
     * Reports that a trace has recorded an operation that reads or writes a buffer.
     *
     * @param buffer the request of the buffer; one that was allocated during the capture is written by every replay in any case,
     *     but only an unused one may take the place of an input that is freed during the capture
     */
    default void bufferCaptured(Owner trace, MemoryRequest buffer) {
        reported(number -> new HistoryEvent.BufferCaptured(number, trace, buffer));
    }

    /**
     * Reports that a trace has recorded an operation that writes a whole buffer.
     *
     * <p>The data that another trace overwrote is missed only if something reads the buffer before a replay of this trace writes it.
     * So a source that reports results has to report {@link #resultRead} too.
     *
     * @param buffer the request of the buffer
     */
    default void resultCaptured(Owner trace, MemoryRequest buffer) {
        reported(number -> new HistoryEvent.ResultCaptured(number, trace, buffer));
    }

    /**
     * Reports that a buffer that was reported as the result of a trace is read, or may be: by the host, by an operation outside
     * traces, or in the replay that is reported next, by a program whose buffers nobody knows.
     */
    default void resultRead(MemoryRequest buffer) {
        reported(number -> new HistoryEvent.ResultRead(number, buffer));
    }

    /** Reports that a trace records no more. */
    default void captureEnded(Owner trace) {
        reported(number -> new HistoryEvent.CaptureEnded(number, trace));
    }

    /**
     * Reports that a trace is replayed.
     *
     * @param inFlight the other traces whose replays this one does not wait for
     */
    default void traceReplayed(Owner trace, List<Owner> inFlight) {
        reported(number -> new HistoryEvent.TraceReplayed(number, trace, inFlight));
    }

    /** Reports that a mesh was opened. Does nothing by default. */
    default void meshOpened(MeshDescription mesh) {}

    /** Reports that the close of a mesh begins. Does nothing by default. */
    default void meshClosing(int mesh) {}

    /** Reports that a mesh is closed. Does nothing by default. */
    default void meshClosed(int mesh) {}

    /** Reports that a device was initialised. Its addresses are all free again. */
    default void deviceOpened(int device) {
        reported(number -> new HistoryEvent.DeviceOpened(number, device));
    }

    /** Reports that a device was closed. */
    default void deviceClosed(int device) {
        reported(number -> new HistoryEvent.DeviceClosed(number, device));
    }

    /** Reports the snapshot of an independent count of the same memory. */
    default void witnessed(WitnessSnapshot snapshot) {
        reported(number -> new HistoryEvent.Witnessed(number, snapshot));
    }

    /**
     * Reports that the source could not deliver some reports.
     *
     * @param count their number, or less than 0 if unknown; 0 has no effect
     * @param reason what happened, as a whole sentence without the full stop
     */
    default void reportsLost(long count, String reason) {
        if (count != 0) {
            reported(number -> new HistoryEvent.ReportsLost(number, count, reason));
        }
    }

    /**
     * Reports the object through which the code under test holds the buffers of a request, so that its reachability can
     * be examined later. The listener must not keep it alive.
     *
     * <p>Does nothing by default. Without a handle, a check cannot distinguish held from lost buffers. An
     * {@linkplain MemoryRequest#isAnonymous() anonymous} request has no handle, because it represents several.
     *
     * @param request the request that allocated the memory
     * @param handle the object without which the code under test cannot free the memory
     */
    default void handleReturned(MemoryRequest request, Object handle) {}

    /**
     * Reports that a source is connected. A history without any connected source proves nothing.
     *
     * @param source a readable name, for example {@code mesh-fake}
     */
    default void sourceAttached(String source) {
        sourceAttached(SourceDescription.of(source));
    }

    /** Reports that a source is connected. A history without any connected source proves nothing. */
    default void sourceAttached(SourceDescription source) {
        reported(number -> new HistoryEvent.SourceAttached(number, source));
    }

    /**
     * Reports a note of the source for a reader of the verdict: a limit of its records, or what was skipped of them. Every report
     * of a verdict has it.
     *
     * @param note a whole sentence
     */
    default void sourceNoted(String note) {
        reported(number -> new HistoryEvent.SourceNoted(number, note));
    }

    /** Reports that a process has exited that reported under {@link AllocationDetails#processId()}. */
    default void processDied(long processId) {
        reported(number -> new HistoryEvent.ProcessDied(number, processId));
    }

    /**
     * Reports that the source delivers neither allocations nor frees from now on.
     *
     * @param reason what happened, as a whole sentence without the full stop
     */
    default void trackingStopped(String reason) {
        reported(number -> new HistoryEvent.TrackingStopped(number, reason));
    }

    /** Reports that the source delivers allocations and frees again. */
    default void trackingStarted() {
        reported(HistoryEvent.TrackingStarted::new);
    }
}
