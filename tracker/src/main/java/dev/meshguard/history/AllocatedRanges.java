package dev.meshguard.history;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.AllocatorId;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Ownership;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The allocated memory of one device, with the buffers that hold it.
 *
 * <p>It is kept for each allocator separately: an overlap within one allocator is another anomaly than one between two.
 */
final class AllocatedRanges {

    /** A live buffer that a new one overlaps, and how. */
    record Overlap(Anomaly.Kind kind, BufferGeneration generation) {}

    /** A live buffer and the first address behind it. */
    private record AllocatedRange(BufferGeneration buffer, long end) {}

    /** The memory that one allocator, or an unknown one, reserved. */
    private record AllocatorRanges(
            @Nullable MeshOpenPeriod mesh,
            Optional<AllocatorId> allocator,
            NavigableMap<Long, AllocatedRange> buffers) {}

    private final boolean flatAddresses;
    private final Map<BufferType.Memory, List<AllocatorRanges>> memories = new EnumMap<>(BufferType.Memory.class);

    AllocatedRanges(boolean flatAddresses) {
        this.flatAddresses = flatAddresses;
    }

    /**
     * Returns the buffer of the same allocator inside which a reported one lies, if the report is about a view of a part
     * of it. A view reserves no memory; a request that names its allocator says whether it is one.
     */
    Optional<BufferGeneration> viewedBy(BufferGeneration buffer, HistoryEvent.Allocated report) {
        AllocationDetails details = report.details();
        boolean isView = details.view();
        if (!isView
                && (report.ownership() != Ownership.NON_OWNING
                        || details.allocator().isPresent())) {
            return Optional.empty();
        }
        long end = report.address() + extent(report.request(), report.size());
        for (AllocatorRanges one : rangesOf(buffer)) {
            Map.Entry<Long, AllocatedRange> below = one.buffers().floorEntry(report.address());
            if (below == null || below.getKey() == report.address()) {
                continue;
            }
            AllocatedRange around = below.getValue();
            // Of memory that is spread over banks, the size bounds how far a buffer reaches from its address.
            boolean liesInside = (around.end() > report.address() && around.end() >= end)
                    || (isView && below.getKey() + around.buffer().size() > report.address());
            if (liesInside && !areOfTwoAllocators(around.buffer(), buffer)) {
                return Optional.of(around.buffer());
            }
        }
        return Optional.empty();
    }

    /**
     * Allocates the memory of a buffer and returns its overlaps with live buffers: those with its own allocator's, then
     * those with the buffers of others.
     */
    List<Overlap> allocate(BufferGeneration buffer, HistoryEvent.Allocated report) {
        List<AllocatorRanges> allocated = rangesOf(buffer);
        long start = report.address();
        long end = start + extent(report.request(), report.size());
        List<Overlap> ofOne = new ArrayList<>(0);
        List<Overlap> ofTwo = new ArrayList<>(0);
        for (AllocatorRanges one : allocated) {
            for (AllocatedRange other : overlaps(one.buffers(), start, end)) {
                if (!areOfTwoAllocators(other.buffer(), buffer)) {
                    boolean sameStart = other.buffer().address() == start;
                    ofOne.add(new Overlap(sameStart ? Anomaly.Kind.TYPE_CHANGE : Anomaly.Kind.OVERLAP, other.buffer()));
                } else if (mayOverlap(other.buffer(), buffer)) {
                    ofTwo.add(new Overlap(Anomaly.Kind.HELD_BY_TWO_ALLOCATORS, other.buffer()));
                }
            }
        }
        rangesOfItsAllocator(buffer, allocated).buffers().putIfAbsent(start, new AllocatedRange(buffer, end));
        ofOne.addAll(ofTwo);
        return ofOne;
    }

    /** Frees the memory of a buffer, if it allocated any. */
    void free(BufferGeneration buffer) {
        for (AllocatorRanges one : rangesOf(buffer)) {
            AllocatedRange range = one.buffers().remove(buffer.address());
            if (range != null && range.buffer() == buffer) {
                return;
            }
            if (range != null) {
                one.buffers().put(buffer.address(), range);
            }
        }
    }

    /** Handles the opening of the device: only memory of meshes that are open over it stays allocated. */
    void opened() {
        for (List<AllocatorRanges> allocated : memories.values()) {
            allocated.removeIf(one -> one.mesh() == null || !one.mesh().isOpen());
        }
    }

    /** Handles the close of a mesh, which ends its allocator. */
    @SuppressWarnings("ReferenceEquality") // Open periods are compared by identity.
    void closed(MeshOpenPeriod mesh) {
        for (List<AllocatorRanges> allocated : memories.values()) {
            allocated.removeIf(one -> one.mesh() == mesh);
        }
    }

    /** Returns the allocated ranges that overlap a range, by address. */
    private static Collection<AllocatedRange> overlaps(
            NavigableMap<Long, AllocatedRange> buffers, long start, long end) {
        Map.Entry<Long, AllocatedRange> below = buffers.floorEntry(start);
        boolean overlapsBelow =
                below != null && (below.getKey() == start || below.getValue().end() > start);
        Long above = end > start ? buffers.higherKey(start) : null;
        if (above == null || above >= end) {
            return overlapsBelow ? List.of(below.getValue()) : List.of();
        }
        return buffers.subMap(overlapsBelow ? below.getKey() : start, true, end, false)
                .values();
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
        return areOfTwoMeshes(one, other) || !AllocatorId.areDistinct(one.allocator(), other.allocator());
    }

    private List<AllocatorRanges> rangesOf(BufferGeneration buffer) {
        return memories.computeIfAbsent(buffer.type().memory(), unused -> new ArrayList<>(1));
    }

    private static AllocatorRanges rangesOfItsAllocator(BufferGeneration buffer, List<AllocatorRanges> allocated) {
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
}
