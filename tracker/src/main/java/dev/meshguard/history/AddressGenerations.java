package dev.meshguard.history;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.history.internal.AddressTable;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * All generations of one address of one memory of one device: the buffers that were allocated there, one after the
 * other.
 *
 * <p>Only one of them is live at a time. Exceptions are an address that several allocators reserve, and a generation
 * that stayed in the ledger when its device was opened again.
 */
final class AddressGenerations extends AddressTable.Entry<AddressGenerations> {

    private final Generations store;
    private int generations;

    // The positions of the first report, of the latest one, and of the one that began the latest generation.
    private int first;
    private int last;
    private int latestBegin;

    /** The generations that no free ended, oldest first. */
    private List<BufferGeneration> live = List.of();

    AddressGenerations(BufferType type, long address, Generations store) {
        super(type, address);
        this.store = store;
    }

    /** Returns the latest generation, which may have ended. */
    @Nullable
    BufferGeneration latest() {
        if (isLatestLive()) {
            return live.get(live.size() - 1);
        }
        return generations == 0 ? null : store.objectOf(latestBegin, generations);
    }

    private boolean isLatestLive() {
        return !live.isEmpty() && live.get(live.size() - 1).generation() == generations;
    }

    /** Returns every generation, in the order of allocation. */
    List<BufferGeneration> all() {
        List<BufferGeneration> all = new ArrayList<>(generations);
        int nextLive = 0;
        for (int begin = first; begin > 0; begin = store.nextBegin(begin)) {
            int number = all.size() + 1;
            boolean isLive = nextLive < live.size() && live.get(nextLive).generation() == number;
            all.add(isLive ? live.get(nextLive++) : store.objectOf(begin, number));
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
        for (BufferGeneration generation : live) {
            if (!generation.mayBeOf(details) || generation.reservedAgainAt().isPresent()) {
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
        if (!live.isEmpty()) {
            live.forEach(store::keep);
            store.keep(generation);
        }
        live = live.isEmpty()
                ? List.of(generation)
                : Stream.concat(live.stream(), Stream.of(generation)).toList();
        first = first == 0 ? position : first;
        store.began(position);
        add(position);
        latestBegin = position;
        generations++;
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
        AllocationDetails details = free.details();
        BufferGeneration best = null;
        int bestRank = 0;
        for (BufferGeneration generation : live) {
            if (!generation.mayBeOf(details) || !generation.mayBeReleasedBy(details)) {
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

    /** Returns the buffer that a request freed; null if it freed none, or stands for many requests. */
    @Nullable
    BufferGeneration freedBy(MemoryRequest release) {
        return release.isAnonymous()
                ? null
                : all().stream()
                        .filter(generation -> generation.reports().stream()
                                .anyMatch(report ->
                                        report.release().filter(release::equals).isPresent()))
                        .findFirst()
                        .orElse(null);
    }

    /** Decides between two generations of one allocator: a late or lost free belongs to the earlier one. */
    private static boolean goesBefore(BufferGeneration earlier, BufferGeneration later, HistoryEvent.Freed free) {
        if (earlier.reservedAgainAt().isEmpty() || earlier.isDoubled()) {
            return false;
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
        List<BufferGeneration> ofKnown = all().stream()
                .filter(generation -> generation.allocatedBy() != null
                        || generation.allocator().isPresent())
                .toList();
        return ofKnown.stream()
                .filter(generation -> generation.allocatedBy() == allocatingMesh
                        && generation.allocator().equals(details.allocator()))
                .reduce((earlier, later) -> later)
                .or(() -> ofKnown.stream()
                        .filter(generation -> mayBeOf(generation, allocatingMesh, details))
                        .reduce((earlier, later) -> later))
                .orElse(null);
    }

    private static boolean mayBeOf(
            BufferGeneration generation, @Nullable MeshOpenPeriod allocatingMesh, AllocationDetails details) {
        return generation.mayBeOf(details)
                && (allocatingMesh == null || generation.allocatedBy() == null || isOf(generation, allocatingMesh));
    }

    /** Ends a generation, which becomes a link if it is no object. */
    void ended(BufferGeneration generation) {
        live = live.size() == 1
                ? List.of()
                : live.stream().filter(other -> other != generation).toList();
    }

    /** Returns the generations that are still in the ledger, oldest first, and the latest one even if it has ended. */
    List<BufferGeneration> inLedger() {
        BufferGeneration ended = isLatestLive() ? null : latest();
        return Stream.concat(live.stream(), Stream.ofNullable(ended)).toList();
    }

    /** Returns the live generations, oldest first. */
    List<BufferGeneration> live() {
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
