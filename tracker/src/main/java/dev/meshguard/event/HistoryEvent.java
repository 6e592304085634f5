package dev.meshguard.event;

import dev.meshguard.text.Quantities;
import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import java.util.Optional;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * One event that a source reported, with its number in the history.
 *
 * <p>Immutable.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public sealed interface HistoryEvent {

    /**
     * The device of memory that belongs to no device, as the memory of Java libraries outside the heap. Such memory has a number
     * in the place of an address, and each number is used once; a further report of its allocation changes its size.
     */
    int NO_DEVICE = -2_000_000_000;

    /** The highest device id that a history can have; the lowest is 0. */
    int MAX_DEVICE = 65_535;

    /** An event about one request. */
    sealed interface OfRequest {

        /** Returns the request. */
        MemoryRequest request();

        /** Returns the details of the request. */
        default AllocationDetails details() {
            return request().details();
        }
    }

    /** A report about the memory at one address. */
    sealed interface OfMemory extends OfRequest {

        /** Returns the number in the history, from 1. */
        long number();

        /** Returns the device id, or {@link #NO_DEVICE}. */
        int device();

        /** Returns the memory. */
        BufferType type();

        /** Returns the first address, in bytes. */
        long address();
    }

    /** Returns the number in the history, from 1. */
    long number();

    /** Returns {@code device 3}, or {@code no device} of {@link #NO_DEVICE}. */
    static String nameOfDevice(int device) {
        return device == NO_DEVICE ? "no device" : "device " + device;
    }

    /**
     * Returns where memory lies: {@code 0x1000 (4096) on device 3}, or, of memory without a device, its number: {@code number 7
     * of no device}.
     */
    static String addressOn(int device, long address) {
        return (device == NO_DEVICE ? "number " + address + " of " : Quantities.address(address) + " on ")
                + nameOfDevice(device);
    }

    /** Returns the request of an event, if it is about one. */
    static Optional<MemoryRequest> requestOf(HistoryEvent event) {
        return event instanceof OfRequest one ? Optional.of(one.request()) : Optional.empty();
    }

    /** A buffer on a device was reported allocated. */
    record Allocated(
            long number,
            MemoryRequest request,
            int device,
            BufferType type,
            long address,
            long size,
            Ownership ownership)
            implements HistoryEvent, OfMemory {

        /** Returns the event as a line, for example {@code #13 allocated DRAM 0x1000 (4096) on device 0, 2 KiB (2048 B)}. */
        @Override
        public String toString() {
            return "#" + number + " allocated " + type + " " + addressOn(device, address) + ", "
                    + Quantities.size(size);
        }
    }

    /** A buffer on a device was reported freed. */
    record Freed(long number, MemoryRequest request, int device, BufferType type, long address, Ownership ownership)
            implements HistoryEvent, OfMemory {

        /** Returns the event as a line, which mentions a collected handle. */
        @Override
        public String toString() {
            return "#" + number + " freed " + type + " " + addressOn(device, address)
                    + (details().handleCollected() ? ", when its handle was collected" : "");
        }
    }

    /** The runtime ignored a call that frees a buffer. */
    record FreeIgnored(
            long number, MemoryRequest request, int device, BufferType type, long address, IgnoredFreeReason reason)
            implements HistoryEvent, OfMemory {

        /** Returns the event as a line, with the reason. */
        @Override
        public String toString() {
            return "#" + number + " free of " + type + " " + addressOn(device, address) + " ignored, because "
                    + reason.description();
        }
    }

    /** A phase began or was resumed. */
    record PhaseBegan(long number, Instant at, Phase phase) implements HistoryEvent {}

    /** A mesh was opened. */
    record MeshOpened(long number, Instant at, MeshDescription mesh) implements HistoryEvent {}

    /** The close of a mesh began. */
    record MeshClosing(long number, Instant at, int mesh) implements HistoryEvent {}

    /** A mesh was closed. */
    record MeshClosed(long number, Instant at, int mesh) implements HistoryEvent {}

    /** A device was initialised. */
    record DeviceOpened(long number, int device) implements HistoryEvent {}

    /** A device was closed. */
    record DeviceClosed(long number, int device) implements HistoryEvent {}

    /**
     * A cache keeps an owner from now on.
     *
     * @param key the key that was not in the cache before, if the source reported it
     */
    record OwnerCached(long number, Owner owner, String cache, Optional<CacheKey> key) implements HistoryEvent {}

    /** An owner ended. */
    record OwnerEnded(long number, Owner owner) implements HistoryEvent {}

    /** A mesh records a trace from now on. What it allocates until the end of the capture, each replay of the trace uses. */
    record CaptureBegan(long number, int mesh, Owner trace) implements HistoryEvent {}

    /**
     * A trace recorded a run of a program, so each replay runs it.
     *
     * @param subDevice the allocator of the sub-device whose cores run it; empty if the whole grid may
     */
    record ProgramCaptured(long number, Owner trace, Owner program, Optional<AllocatorId> subDevice)
            implements HistoryEvent {}

    /** A trace recorded an operation that reads or writes the buffers of a request, so each replay does. */
    record BufferCaptured(long number, Owner trace, MemoryRequest request) implements HistoryEvent, OfRequest {}

    /** A trace recorded an operation that writes the whole buffers of a request, so each replay does. */
    record ResultCaptured(long number, Owner trace, MemoryRequest request) implements HistoryEvent, OfRequest {}

    /** The result of a trace was read, or may have been, by something else than a recorded operation. */
    record ResultRead(long number, MemoryRequest request) implements HistoryEvent, OfRequest {}

    /** The capture of a trace ended. */
    record CaptureEnded(long number, Owner trace) implements HistoryEvent {}

    /**
     * A trace was replayed.
     *
     * @param inFlight the other traces whose replays may not be complete, because nothing makes this one wait for them
     */
    record TraceReplayed(long number, Owner trace, List<Owner> inFlight) implements HistoryEvent {
        /** Creates the event with its own copy of the traces. */
        public TraceReplayed {
            inFlight = List.copyOf(inFlight);
        }
    }

    /** An independent count of the same memory was read. */
    record Witnessed(long number, WitnessSnapshot snapshot) implements HistoryEvent {}

    /** Some reports are missing here; the count is -1 if unknown. */
    record ReportsLost(long number, long count, String reason) implements HistoryEvent {}

    /**
     * A source was connected, whether or not it reported anything.
     *
     * @param source the source
     */
    record SourceAttached(long number, SourceDescription source) implements HistoryEvent {}

    /** The source has a note for a reader of the verdict: a limit of its records, or what was skipped of them. */
    record SourceNoted(long number, String note) implements HistoryEvent {}

    /** A process that reported has exited; it never freed the memory that it still held. */
    record ProcessDied(long number, long processId) implements HistoryEvent {}

    /** The source reports no allocation and no free from now on, until {@link TrackingStarted}. */
    record TrackingStopped(long number, String reason) implements HistoryEvent {}

    /** The source reports everything again. */
    record TrackingStarted(long number) implements HistoryEvent {}

    /** The check was made here, and later frees are late. Expectations that expire are judged by the date. */
    record Checked(long number, LocalDate today) implements HistoryEvent {}

    /** A search examined whether the handle of a request is still reachable. */
    record HandleTraced(long number, MemoryRequest request, Reachability reachability)
            implements HistoryEvent, OfRequest {}

    /** The source counted the references to the memory of a request, which is still allocated. */
    record ReferencesCounted(long number, MemoryRequest request, References references)
            implements HistoryEvent, OfRequest {}

    /**
     * A round began: a section of the program that is repeated, and should have the same survivors as the one before.
     */
    record RoundBegan(long number, int round) implements HistoryEvent {}

    /** A round ended. */
    record RoundEnded(long number, int round) implements HistoryEvent {}
}
