package dev.meshguard.verification.corpus.stage;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.AllocatorId;
import dev.meshguard.event.BufferKind;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.IgnoredFreeReason;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.event.Owner;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.WitnessSnapshot;
import dev.meshguard.event.WitnessSnapshot.Moment;
import dev.meshguard.mesh.internal.report.ForwardingListener;
import dev.meshguard.tracker.AllocationTracker;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.LongFunction;

/**
 * The transport from a runtime to the tracker. It forwards everything, and records for each report the step of the program and
 * whether the report arrived.
 */
public final class Road extends ForwardingListener {

    /**
     * A report that arrived.
     *
     * @param step the step of the program that made it, whenever it arrived
     * @param isFree whether it is a free
     * @param details the details in the report
     * @param device the device in the report
     * @param type the memory type in the report
     * @param address the address in the report
     * @param isLate whether it arrived when the close of its mesh had begun, or its program had ended
     * @param isAfterTheCheck whether it arrived when the check had been made
     */
    public record Arrival(
            int step,
            boolean isFree,
            AllocationDetails details,
            int device,
            BufferType type,
            long address,
            boolean isLate,
            boolean isAfterTheCheck) {

        /** Returns whether it is of a circular buffer. */
        public boolean isOfCircularBuffer() {
            return details.kind() == BufferKind.CIRCULAR_BUFFER;
        }
    }

    private final Clock clock;
    private final IdentityHashMap<MemoryRequest, Integer> steps = new IdentityHashMap<>();
    private final List<Arrival> arrivals = new ArrayList<>();
    private final List<Arrival> ignoredFrees = new ArrayList<>();
    private final Set<Owner> endedOwners = new HashSet<>();
    private final Set<Integer> openMeshes = new HashSet<>();
    private final Set<Integer> devicesRead = new HashSet<>();
    private OptionalInt closingMesh = OptionalInt.empty();
    private boolean checked;
    private boolean deaf;
    private boolean noticedLosses;
    private OptionalInt lastStop = OptionalInt.empty();
    private boolean listensAgain;

    Road(AllocationTracker tracker, Clock clock) {
        super(tracker);
        this.clock = clock;
    }

    /** Returns what arrived, in that order. */
    public List<Arrival> arrivals() {
        return arrivals;
    }

    /** Returns what arrived of frees that did nothing because the device was closed. */
    public List<Arrival> ignoredFrees() {
        return ignoredFrees;
    }

    /** Returns the step in which a request was made. */
    public int stepOf(MemoryRequest request) {
        return steps.getOrDefault(request, -1);
    }

    /** Returns whether the source said that it lost something. */
    public boolean saidThatReportsWereLost() {
        return noticedLosses;
    }

    /** Returns the step in which the source last said that it does not listen any more, if it did. */
    public OptionalInt lastStop() {
        return lastStop;
    }

    /** Returns whether the source listened again after that. */
    public boolean listensAgain() {
        return listensAgain;
    }

    void check() {
        checked = true;
    }

    /** From here on buffers are not received, and nobody knows that. */
    void deaf(boolean now) {
        deaf = now;
    }

    @Override
    public MemoryRequest request(AllocationDetails details) {
        return stepNoted(listener.request(details));
    }

    @Override
    public MemoryRequest release(AllocationDetails details) {
        return stepNoted(listener.release(details));
    }

    @Override
    public MemoryRequest releaseByAddress(AllocationDetails details) {
        return stepNoted(listener.releaseByAddress(details));
    }

    private MemoryRequest stepNoted(MemoryRequest request) {
        steps.put(request, clock.step());
        return request;
    }

    private Arrival arrival(MemoryRequest request, boolean isFree, int device, BufferType type, long address) {
        return new Arrival(
                stepOf(request), isFree, request.details(), device, type, address, isLate(request.details()), checked);
    }

    private boolean isLate(AllocationDetails details) {
        boolean isAfterItsProgram =
                details.owner().filter(endedOwners::contains).isPresent();
        boolean isOfADevice = details.kind() == BufferKind.CIRCULAR_BUFFER
                || details.allocator().filter(AllocatorId.DEVICE::equals).isPresent();
        boolean isAfterItsMesh = details.mesh().isPresent()
                ? !openMeshes.contains(details.mesh().getAsInt())
                : isOfADevice && openMeshes.isEmpty();
        return isAfterItsProgram || isAfterItsMesh;
    }

    @Override
    public void allocated(
            MemoryRequest request, int device, BufferType type, long address, long size, Ownership ownership) {
        if (!deaf) {
            arrivals.add(arrival(request, false, device, type, address));
            listener.allocated(request, device, type, address, size, ownership);
        }
    }

    @Override
    public void freed(MemoryRequest release, int device, BufferType type, long address, Ownership ownership) {
        if (!deaf) {
            arrivals.add(arrival(release, true, device, type, address));
            listener.freed(release, device, type, address, ownership);
        }
    }

    @Override
    public void freeIgnored(
            MemoryRequest release, int device, BufferType type, long address, IgnoredFreeReason reason) {
        if (reason == IgnoredFreeReason.DEVICE_CLOSED) {
            ignoredFrees.add(arrival(release, true, device, type, address));
        }
        listener.freeIgnored(release, device, type, address, reason);
    }

    @Override
    public void meshOpened(MeshDescription mesh) {
        openMeshes.add(mesh.id());
        listener.meshOpened(mesh);
    }

    @Override
    public void meshClosing(int mesh) {
        openMeshes.remove(mesh);
        listener.meshClosing(mesh);
    }

    @Override
    public void meshClosed(int mesh) {
        closingMesh = OptionalInt.empty();
        listener.meshClosed(mesh);
    }

    @Override
    public void reported(LongFunction<HistoryEvent> event) {
        HistoryEvent read = event.apply(0);
        if (read instanceof HistoryEvent.OwnerEnded ended) {
            endedOwners.add(ended.owner());
        } else if (read instanceof HistoryEvent.DeviceClosed closed) {
            readUnread(closed.device());
        } else if (read instanceof HistoryEvent.Witnessed witnessed) {
            note(witnessed.snapshot());
        } else if (read instanceof HistoryEvent.ReportsLost) {
            noticedLosses = true;
        } else if (read instanceof HistoryEvent.TrackingStopped) {
            lastStop = OptionalInt.of(clock.step());
            listensAgain = false;
        } else if (read instanceof HistoryEvent.TrackingStarted) {
            listensAgain = true;
        }
        listener.reported(event);
    }

    /** The runtime reads no device from which nothing was allocated; after a stop, a source has to read it to know that. */
    private void readUnread(int device) {
        boolean wasRead = devicesRead.remove(device);
        if (lastStop.isPresent() && closingMesh.isPresent() && !wasRead) {
            WitnessSnapshot reading = WitnessSnapshot.of(closingMesh.getAsInt(), Moment.CLOSE_BEGUN)
                    .ofAllocator(AllocatorId.DEVICE);
            for (BufferType type : BufferType.values()) {
                reading = reading.region(device, type);
            }
            listener.witnessed(reading);
        }
    }

    private void note(WitnessSnapshot reading) {
        if (reading.moment() == Moment.CLOSE_BEGUN) {
            closingMesh = OptionalInt.of(reading.mesh());
            if (reading.allocator().filter(AllocatorId.DEVICE::equals).isPresent()) {
                devicesRead.addAll(reading.devices());
            }
        }
    }
}
