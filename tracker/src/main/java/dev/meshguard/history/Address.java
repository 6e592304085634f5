package dev.meshguard.history;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.AllocatorId;
import dev.meshguard.event.HistoryEvent;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The generations of one address of one memory of one device.
 *
 * <p>Only one of them is live at a time. Exceptions are an address that several allocators reserve, and a generation
 * that stayed in the ledger when its device was opened again.
 */
final class Address {

    private final GenerationStore store;
    private int generations;

    // The positions of the first report, of the latest one, and of the one that began the latest generation.
    private int first;
    private int last;
    private int latestBegin;

    /** The latest generation, if it is an object. */
    private @Nullable BufferGeneration latest;

    // The allocator of the latest generation, if that is no object.
    private @Nullable MeshOpenPeriod latestMesh;
    private Optional<AllocatorId> latestAllocator = Optional.empty();

    /** Generations before the latest that no free ended, oldest first. */
    private List<BufferGeneration> earlier = List.of();

    /** The allocator that reserved the memory of a generation. */
    private record AllocatorKey(@Nullable MeshOpenPeriod mesh, Optional<AllocatorId> allocator) {

        private static AllocatorKey of(BufferGeneration generation) {
            return new AllocatorKey(generation.allocatedBy(), generation.allocator());
        }
    }

    /** The last generation of each allocator that reserved the address before that of the latest one did. */
    private Map<AllocatorKey, BufferGeneration> lastOf = Map.of();

    Address(GenerationStore store) {
        this.store = store;
    }

    /** Returns the latest generation, which may have ended. */
    @Nullable
    BufferGeneration latest() {
        if (latest == null && generations > 0) {
            latest = store.at(latestBegin, generations);
        }
        return latest;
    }

    /** Returns every generation, in the order of allocation. */
    List<BufferGeneration> all() {
        List<BufferGeneration> all = new ArrayList<>(generations);
        for (int begin = first; begin > 0; begin = store.nextBegin(begin)) {
            all.add(store.at(begin, all.size() + 1));
        }
        return all;
    }

    /** Returns the number that a new generation would have, from 1. */
    int nextGeneration() {
        return generations + 1;
    }

    /** Returns the live buffer that a report of the given mesh and allocator, or of unknown ones, is about. */
    @Nullable
    BufferGeneration reportedAgain(
            @Nullable MeshOpenPeriod allocatingMesh, AllocationDetails details, int devicePeriod) {
        BufferGeneration found = null;
        for (BufferGeneration generation : live()) {
            if (!generation.mayBeOf(details)) {
                continue;
            }
            if (generation.reservedAgainAt().isPresent()) {
                continue;
            }
            if (allocatingMesh != null && generation.allocatedBy() == allocatingMesh) {
                return generation;
            }
            boolean mayBeOne = allocatingMesh == null || generation.allocatedBy() == null;
            if (mayBeOne && isCurrent(generation, devicePeriod)) {
                found = generation;
            }
        }
        return found;
    }

    /** Begins a generation with the report at a position; generations that are live at a time stay objects. */
    void begin(BufferGeneration generation, int position) {
        List<BufferGeneration> live = live();
        if (!live.isEmpty()) {
            live.forEach(store::keep);
            store.keep(generation);
        }
        if (isOfAnotherAllocator(generation)) {
            BufferGeneration before = latest();
            if (before != null) {
                lastOf = lastOf.isEmpty() ? new LinkedHashMap<>(2) : lastOf;
                lastOf.put(AllocatorKey.of(before), before);
            }
        }
        BufferGeneration before = latest;
        if (before != null && before.isLive()) {
            earlier = earlier.isEmpty() ? new ArrayList<>(2) : earlier;
            earlier.add(before);
        }
        first = first == 0 ? position : first;
        store.began(position);
        add(position);
        latestBegin = position;
        latest = generation;
        generations++;
    }

    /** Returns whether the latest generation has a known allocator, which is another one. */
    private boolean isOfAnotherAllocator(BufferGeneration generation) {
        BufferGeneration before = latest;
        MeshOpenPeriod mesh = before == null ? latestMesh : before.allocatedBy();
        Optional<AllocatorId> allocator = before == null ? latestAllocator : before.allocator();
        return (mesh != null || allocator.isPresent())
                && (mesh != generation.allocatedBy() || !allocator.equals(generation.allocator()));
    }

    /** Adds the report at a position. */
    void add(int position) {
        store.reported(last, position);
        last = position;
    }

    /**
     * Returns the live buffer whose report a free matches, if there is one.
     *
     * <p>Buffers of the same mesh come first, then those of an unknown mesh. After the close of the mesh, those of an
     * earlier open period of its number match too; while it is open, they are of another allocator. A free that names no
     * mesh matches the best fit. Buffers of a reopened device or a closed mesh match only if there is no other.
     */
    @Nullable
    BufferGeneration freedBy(HistoryEvent.Freed free, @Nullable MeshOpenPeriod allocatingMesh, int devicePeriod) {
        AllocationDetails details = free.request().details();
        BufferGeneration best = null;
        int bestRank = 0;
        for (BufferGeneration generation : live()) {
            if (!generation.mayBeOf(details)) {
                continue;
            }
            int rank = allocatingMesh == null
                    ? rank(generation, free, devicePeriod)
                    : rank(generation, allocatingMesh, devicePeriod);
            if (rank > 0
                    && rank >= bestRank
                    && (best == null || rank > bestRank || !goesBefore(best, generation, free))) {
                best = generation;
                bestRank = rank;
            }
        }
        return best;
    }

    /** Decides between two generations of one allocator: a late or lost free belongs to the earlier one. */
    private static boolean goesBefore(BufferGeneration earlier, BufferGeneration later, HistoryEvent.Freed free) {
        if (earlier.reservedAgainAt().isEmpty()) {
            return false;
        }
        AllocationDetails details = free.request().details();
        boolean may = earlier.mayBeReleasedBy(details);
        if (may != later.mayBeReleasedBy(details)) {
            return may;
        }
        return earlier.fit(free) >= later.fit(free);
    }

    /**
     * Returns the last generation for which the given mesh (or one with its number) and allocator reserved the address;
     * unknown meshes and allocators count too.
     */
    @Nullable
    BufferGeneration lastOf(@Nullable MeshOpenPeriod allocatingMesh, AllocationDetails details) {
        BufferGeneration newest = latest();
        if (newest == null || mayBeOf(newest, allocatingMesh, details)) {
            return newest;
        }
        BufferGeneration exact = lastOf.get(new AllocatorKey(allocatingMesh, details.allocator()));
        return exact != null
                ? exact
                : lastOf.values().stream()
                        .filter(generation -> mayBeOf(generation, allocatingMesh, details))
                        .max(Comparator.comparingLong(BufferGeneration::allocatedAt))
                        .orElse(null);
    }

    private static boolean mayBeOf(
            BufferGeneration generation, @Nullable MeshOpenPeriod allocatingMesh, AllocationDetails details) {
        return generation.mayBeOf(details)
                && (allocatingMesh == null || generation.allocatedBy() == null || isOf(generation, allocatingMesh));
    }

    /** Ends a generation, which becomes a link if it is no object. */
    void ended(BufferGeneration generation) {
        if (!earlier.isEmpty()) {
            earlier.remove(generation);
        }
        if (generation == latest && !store.isObject(generation)) {
            latestMesh = generation.allocatedBy();
            latestAllocator = generation.allocator();
            latest = null;
        }
    }

    /** Returns the generations that are still in the ledger, oldest first, and the latest one even if it has ended. */
    List<BufferGeneration> inLedger() {
        List<BufferGeneration> known = new ArrayList<>(earlier);
        BufferGeneration newest = latest();
        if (newest != null) {
            known.add(newest);
        }
        return known;
    }

    /** Returns the live generations, oldest first. */
    List<BufferGeneration> live() {
        BufferGeneration newest = latest;
        if (newest == null || !newest.isLive()) {
            return earlier.isEmpty() ? List.of() : List.copyOf(earlier);
        }
        if (earlier.isEmpty()) {
            return List.of(newest);
        }
        List<BufferGeneration> live = new ArrayList<>(earlier);
        live.add(newest);
        return live;
    }

    private static int rank(BufferGeneration generation, MeshOpenPeriod allocatingMesh, int devicePeriod) {
        if (generation.allocatedBy() == allocatingMesh) {
            return 4;
        }
        if (generation.allocatedBy() == null) {
            return isCurrent(generation, devicePeriod) ? 2 : 1;
        }
        return isOf(generation, allocatingMesh) && !allocatingMesh.isOpen() ? 3 : 0;
    }

    private static int rank(BufferGeneration generation, HistoryEvent.Freed free, int devicePeriod) {
        return isCurrent(generation, devicePeriod) ? 2 + generation.fit(free) : 1;
    }

    private static boolean isOf(BufferGeneration generation, MeshOpenPeriod allocatingMesh) {
        MeshOpenPeriod known = generation.allocatedBy();
        return known != null && known.mesh() == allocatingMesh.mesh();
    }

    /**
     * Returns whether a current allocation may belong to this generation: its mesh is open, its device was not opened
     * again.
     */
    private static boolean isCurrent(BufferGeneration generation, int devicePeriod) {
        MeshOpenPeriod allocatingMesh = generation.allocatedBy();
        if (allocatingMesh == null || !allocatingMesh.isAnnounced()) {
            return generation.openPeriod() == devicePeriod;
        }
        return allocatingMesh.isOpen();
    }
}
