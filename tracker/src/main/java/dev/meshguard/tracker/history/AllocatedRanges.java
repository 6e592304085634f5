package dev.meshguard.tracker.history;

import dev.meshguard.event.AllocatorId;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.Ownership;
import dev.meshguard.tracker.AllocationRequest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Which memory of each device is taken now, and by whose buffer.
 *
 * <p>Kept for each allocator by itself: what meets the memory of its own allocator is another thing than what meets that of another.
 */
final class AllocatedRanges {

    /** A live buffer that a new one meets, and how. */
    record Meeting(Anomaly.Kind kind, BufferGeneration holder) {}

    private record Region(int device, BufferType.Memory memory) {}

    /** A live buffer and the first address behind it. */
    private record AllocatedRange(BufferGeneration buffer, long end) {}

    /** What one allocator reserved of a region; or what one did that is not known. */
    private record AllocatorRanges(
            @Nullable MeshOpenPeriod mesh,
            Optional<AllocatorId> allocator,
            NavigableMap<Long, AllocatedRange> buffers) {}

    private final boolean flatAddresses;
    private final Map<Region, List<AllocatorRanges>> regions = new HashMap<>();

    AllocatedRanges(boolean flatAddresses) {
        this.flatAddresses = flatAddresses;
    }

    /**
     * Takes the memory of a buffer and returns what it meets.
     *
     * <p>A buffer that lies inside what it points to is a view and takes nothing; everything else that meets a live buffer
     * is noted. Views are not looked for later: who meets one meets what it points to.
     */
    List<Meeting> take(BufferGeneration buffer, HistoryEvent.Allocated report) {
        List<AllocatorRanges> lent = regions.computeIfAbsent(region(buffer), unused -> new ArrayList<>(1));
        long start = report.address();
        long end = start + extent(report.request(), report.size());
        Meeting ofItsMesh = null;
        List<Meeting> ofOthers = List.of();
        for (AllocatorRanges one : lent) {
            AllocatedRange met = firstOverlap(one.buffers(), start, end);
            if (met == null) {
                continue;
            }
            if (areOfTwoAllocators(met.buffer(), buffer)) {
                if (mayOverlap(met.buffer(), buffer)) {
                    ofOthers = ofOthers.isEmpty() ? new ArrayList<>(1) : ofOthers;
                    ofOthers.add(new Meeting(Anomaly.Kind.HELD_BY_TWO_ALLOCATORS, met.buffer()));
                }
            } else if (isView(report, end, met)) {
                return List.of();
            } else if (ofItsMesh == null) {
                boolean sameStart = met.buffer().address() == start;
                ofItsMesh = new Meeting(sameStart ? Anomaly.Kind.TYPE_CHANGE : Anomaly.Kind.OVERLAP, met.buffer());
            }
        }
        ofThe(buffer, lent).buffers().putIfAbsent(start, new AllocatedRange(buffer, end));
        if (ofItsMesh == null) {
            return ofOthers;
        }
        List<Meeting> meetings = new ArrayList<>(1 + ofOthers.size());
        meetings.add(ofItsMesh);
        meetings.addAll(ofOthers);
        return meetings;
    }

    /** Gives the memory of a buffer back, if it took any. */
    void free(BufferGeneration buffer) {
        for (AllocatorRanges one : regions.getOrDefault(region(buffer), List.of())) {
            AllocatedRange taken = one.buffers().get(buffer.address());
            if (taken != null && taken.buffer() == buffer) {
                one.buffers().remove(buffer.address());
                return;
            }
        }
    }

    /** A device was initialised: only what a mesh that is open over it lent is still taken. */
    void opened(int device) {
        if (regions.isEmpty()) {
            return;
        }
        for (BufferType.Memory memory : BufferType.Memory.values()) {
            List<AllocatorRanges> lent = regions.get(new Region(device, memory));
            if (lent != null) {
                lent.removeIf(one -> one.mesh() == null || !one.mesh().isOpen());
            }
        }
    }

    /** A mesh was closed, and its allocator with it. */
    @SuppressWarnings("ReferenceEquality") // An opening of a mesh is itself only.
    void closed(MeshOpenPeriod mesh) {
        for (List<AllocatorRanges> lent : regions.values()) {
            lent.removeIf(one -> one.mesh() == mesh);
        }
    }

    private static boolean isView(HistoryEvent.Allocated report, long end, AllocatedRange met) {
        return report.ownership() == Ownership.NON_OWNING
                && met.buffer().address() < report.address()
                && met.end() >= end;
    }

    private static @Nullable AllocatedRange firstOverlap(
            NavigableMap<Long, AllocatedRange> buffers, long start, long end) {
        Map.Entry<Long, AllocatedRange> below = buffers.floorEntry(start);
        if (below != null && (below.getKey() == start || below.getValue().end() > start)) {
            return below.getValue();
        }
        Map.Entry<Long, AllocatedRange> above = buffers.higherEntry(start);
        return above != null && above.getKey() < end ? above.getValue() : null;
    }

    private static boolean areOfTwoAllocators(BufferGeneration one, BufferGeneration other) {
        return areOfTwoMeshes(one, other) || !AllocatorId.mayBeOne(one.allocator(), other.allocator());
    }

    private static boolean areOfTwoMeshes(BufferGeneration one, BufferGeneration other) {
        MeshOpenPeriod lender = one.allocatedBy();
        MeshOpenPeriod otherLender = other.allocatedBy();
        return lender != null && otherLender != null && lender.mesh() != otherLender.mesh();
    }

    private static boolean mayOverlap(BufferGeneration one, BufferGeneration other) {
        return areOfTwoMeshes(one, other)
                || one.allocator().isEmpty()
                || other.allocator().isEmpty()
                || !one.allocator().get().isDistinctFrom(other.allocator().get());
    }

    private static AllocatorRanges ofThe(BufferGeneration buffer, List<AllocatorRanges> lent) {
        for (AllocatorRanges one : lent) {
            if (one.mesh() == buffer.allocatedBy() && one.allocator().equals(buffer.allocator())) {
                return one;
            }
        }
        AllocatorRanges first = new AllocatorRanges(buffer.allocatedBy(), buffer.allocator(), new TreeMap<>());
        lent.add(first);
        return first;
    }

    /** A plain size says nothing of one bank when the memory is spread over banks. */
    private long extent(AllocationRequest request, long size) {
        return request.details().extent().orElse(flatAddresses ? size : 0);
    }

    private static Region region(BufferGeneration buffer) {
        return new Region(buffer.device(), buffer.type().memory());
    }
}
