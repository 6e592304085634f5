package dev.meshguard.history;

import dev.meshguard.event.AllocatorId;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Ownership;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The allocated memory of each device, with the buffers that hold it.
 *
 * <p>It is kept for each allocator separately: an overlap within one allocator is another anomaly than one between two.
 */
final class AllocatedRanges {

    /** A live buffer that a new one overlaps, and how. */
    record Meeting(Anomaly.Kind kind, BufferGeneration generation) {}

    private record Region(int device, BufferType.Memory memory) {}

    /** A live buffer and the first address behind it. */
    private record AllocatedRange(BufferGeneration buffer, long end) {}

    /** The memory of a region that one allocator, or an unknown one, reserved. */
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
     * Allocates the memory of a buffer and returns its overlaps.
     *
     * <p>A buffer inside memory that it points to is a view and allocates nothing. Every other overlap with a live
     * buffer is returned. Views are not recorded: a buffer that overlaps one also overlaps its memory.
     */
    List<Meeting> allocate(BufferGeneration buffer, HistoryEvent.Allocated report) {
        List<AllocatorRanges> allocated = regions.computeIfAbsent(region(buffer), unused -> new ArrayList<>(1));
        long start = report.address();
        long end = start + extent(report.request(), report.size());
        Meeting ofItsMesh = null;
        List<Meeting> ofOthers = List.of();
        for (AllocatorRanges one : allocated) {
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
        ofThe(buffer, allocated).buffers().putIfAbsent(start, new AllocatedRange(buffer, end));
        if (ofItsMesh == null) {
            return ofOthers;
        }
        List<Meeting> meetings = new ArrayList<>(1 + ofOthers.size());
        meetings.add(ofItsMesh);
        meetings.addAll(ofOthers);
        return meetings;
    }

    /** Frees the memory of a buffer, if it allocated any. */
    void free(BufferGeneration buffer) {
        for (AllocatorRanges one : regions.getOrDefault(region(buffer), List.of())) {
            AllocatedRange range = one.buffers().get(buffer.address());
            if (range != null && range.buffer() == buffer) {
                one.buffers().remove(buffer.address());
                return;
            }
        }
    }

    /** Handles the opening of a device: only memory of meshes that are open over it stays allocated. */
    void opened(int device) {
        if (regions.isEmpty()) {
            return;
        }
        for (BufferType.Memory memory : BufferType.Memory.values()) {
            List<AllocatorRanges> allocated = regions.get(new Region(device, memory));
            if (allocated != null) {
                allocated.removeIf(one -> one.mesh() == null || !one.mesh().isOpen());
            }
        }
    }

    /** Handles the close of a mesh, which ends its allocator. */
    @SuppressWarnings("ReferenceEquality") // Open periods are compared by identity.
    void closed(MeshOpenPeriod mesh) {
        for (List<AllocatorRanges> allocated : regions.values()) {
            allocated.removeIf(one -> one.mesh() == mesh);
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
        MeshOpenPeriod thisMesh = one.allocatedBy();
        MeshOpenPeriod otherMesh = other.allocatedBy();
        return thisMesh != null && otherMesh != null && thisMesh.mesh() != otherMesh.mesh();
    }

    private static boolean mayOverlap(BufferGeneration one, BufferGeneration other) {
        return areOfTwoMeshes(one, other)
                || one.allocator().isEmpty()
                || other.allocator().isEmpty()
                || !one.allocator().get().isDistinctFrom(other.allocator().get());
    }

    private static AllocatorRanges ofThe(BufferGeneration buffer, List<AllocatorRanges> allocated) {
        for (AllocatorRanges one : allocated) {
            if (one.mesh() == buffer.allocatedBy() && one.allocator().equals(buffer.allocator())) {
                return one;
            }
        }
        AllocatorRanges first = new AllocatorRanges(buffer.allocatedBy(), buffer.allocator(), new TreeMap<>());
        allocated.add(first);
        return first;
    }

    /** Returns the extent in one bank; a plain size does not determine it if memory is spread over banks. */
    private long extent(MemoryRequest request, long size) {
        return request.details().extent().orElse(flatAddresses ? size : 0);
    }

    private static Region region(BufferGeneration buffer) {
        return new Region(buffer.device(), buffer.type().memory());
    }
}
