package dev.meshguard.tracker.history;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.IgnoredFreeReason;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.event.Owner;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.Phase;
import dev.meshguard.event.Quantities;
import dev.meshguard.event.Reachability;
import dev.meshguard.event.WitnessSnapshot;
import dev.meshguard.tracker.AllocationRequest;
import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * One thing that a source reported, in its place in the history.
 *
 * <p>Immutable.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public sealed interface HistoryEvent {

    /** Returns the place in the history, from 1. */
    long number();

    /** A buffer on a device was reported allocated. */
    record Allocated(
            long number,
            AllocationRequest request,
            int device,
            BufferType type,
            long address,
            long size,
            Ownership ownership)
            implements HistoryEvent {

        /** Returns the event as a line, for example {@code #13 allocated DRAM 0x1000 (4096) on device 0, 2 KiB (2048 B)}. */
        @Override
        public String toString() {
            return String.format(
                    Locale.ROOT,
                    "#%d allocated %s %s on device %d, %s",
                    number,
                    type,
                    Quantities.address(address),
                    device,
                    Quantities.size(size));
        }
    }

    /** A buffer on a device was reported freed. */
    record Freed(long number, AllocationRequest request, int device, BufferType type, long address, Ownership ownership)
            implements HistoryEvent {

        /** Returns whether its handle was garbage and was collected; else somebody called for the free. */
        public boolean isOfCollectedHandle() {
            return request.details().handleCollected();
        }

        /** Returns the event as a line, which says so if the handle was collected. */
        @Override
        public String toString() {
            return String.format(
                    Locale.ROOT,
                    "#%d freed %s %s on device %d%s",
                    number,
                    type,
                    Quantities.address(address),
                    device,
                    isOfCollectedHandle() ? ", when its handle was collected" : "");
        }
    }

    /** The runtime was asked to free something and did nothing. */
    record FreeIgnored(
            long number, AllocationRequest request, int device, BufferType type, long address, IgnoredFreeReason reason)
            implements HistoryEvent {

        /** Returns the event as a line, with the reason. */
        @Override
        public String toString() {
            return String.format(
                    Locale.ROOT,
                    "#%d free of %s %s on device %d ignored, because %s",
                    number,
                    type,
                    Quantities.address(address),
                    device,
                    reason.description());
        }
    }

    /** A phase began or was gone back to. */
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

    /** An owner is kept by a cache from here on. */
    record OwnerCached(long number, Owner owner, String cache) implements HistoryEvent {}

    /** An owner ended. */
    record OwnerEnded(long number, Owner owner) implements HistoryEvent {}

    /** An independent count of the same memory was taken. */
    record Witnessed(long number, WitnessSnapshot snapshot) implements HistoryEvent {}

    /** Some reports are missing here; the count is -1 when that is not known either. */
    record ReportsLost(long number, long count, String reason) implements HistoryEvent {}

    /**
     * Something that reports was connected, whether or not it had anything to report.
     *
     * @param source what it is
     * @param covers what it reports of, where that is not everything
     */
    record SourceAttached(long number, String source, Optional<String> covers) implements HistoryEvent {

        /** Creates the event of a source that reports of everything. */
        public SourceAttached(long number, String source) {
            this(number, source, Optional.empty());
        }
    }

    /** A process that reported is gone; whatever it still held was never freed by it. */
    record ProcessDied(long number, long processId) implements HistoryEvent {}

    /** From here on the source hears of no allocation and no free, until {@link TrackingStarted}. */
    record TrackingStopped(long number, String reason) implements HistoryEvent {}

    /** The source hears of everything again. */
    record TrackingStarted(long number) implements HistoryEvent {}

    /** A canary was put on every device of a mesh: a report that has to arrive, and its free after it. */
    record CanaryPlanted(long number, int mesh, List<Integer> devices) implements HistoryEvent {
        /** Creates the event with its own copy of the devices. */
        public CanaryPlanted {
            devices = List.copyOf(devices);
        }
    }

    /** Canaries of a mesh were seen on the road on which allocations are reported: those of the given devices, one after the other. */
    record CanarySeen(long number, int mesh, List<Integer> devices) implements HistoryEvent {
        /** Creates the event with its own copy of the devices. */
        public CanarySeen {
            devices = List.copyOf(devices);
        }
    }

    /** The frees of canaries of a mesh were seen on the road on which frees are reported. */
    record CanaryFreed(long number, int mesh, List<Integer> devices) implements HistoryEvent {
        /** Creates the event with its own copy of the devices. */
        public CanaryFreed {
            devices = List.copyOf(devices);
        }
    }

    /** The check was made here: what is freed later is late. The date is what entries that end are judged against. */
    record Checked(long number, LocalDate today) implements HistoryEvent {}

    /** It was found out whether the handle of a request can still be reached. */
    record HandleTraced(long number, AllocationRequest request, Reachability reachability) implements HistoryEvent {}

    /** A round began: a stretch of the program that is repeated, and should leave behind what the one before it left. */
    record RoundBegan(long number, int round) implements HistoryEvent {}

    /** A round ended. */
    record RoundEnded(long number, int round) implements HistoryEvent {}
}
