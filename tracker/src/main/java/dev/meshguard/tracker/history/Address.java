package dev.meshguard.tracker.history;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.AllocatorId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The lives of one address of one memory of one device.
 *
 * <p>One of them is live at a time, unless several allocators reserve the address or a device that was opened again left one behind
 * in the books.
 */
final class Address {

    private int generations;
    private @Nullable BufferGeneration latest;

    /** Lives before the latest that no free ended, oldest first. */
    private List<BufferGeneration> earlier = List.of();

    /** Whose allocator reserved the memory of a life. */
    private record AllocatorKey(@Nullable MeshOpenPeriod mesh, Optional<AllocatorId> allocator) {

        private static AllocatorKey of(BufferGeneration life) {
            return new AllocatorKey(life.allocatedBy(), life.allocator());
        }

        private boolean isKnown() {
            return mesh != null || allocator.isPresent();
        }
    }

    /** The last life of each allocator that reserved the address before that of the latest one did. */
    private Map<AllocatorKey, BufferGeneration> lastOf = Map.of();

    /** Returns the latest life, which may be over. */
    @Nullable
    BufferGeneration latest() {
        return latest;
    }

    /** Returns the number that a new life would have, from 1. */
    int nextGeneration() {
        return generations + 1;
    }

    /** Returns the live buffer that a report of the given mesh and allocator, or of unknown ones, is about. */
    @Nullable
    BufferGeneration reportedAgain(@Nullable MeshOpenPeriod lender, AllocationDetails details, int deviceLife) {
        BufferGeneration found = null;
        for (BufferGeneration life : live()) {
            if (!life.mayBeOf(details)) {
                continue;
            }
            if (life.reservedAgainAt().isPresent()) {
                continue;
            }
            if (lender != null && life.allocatedBy() == lender) {
                return life;
            }
            boolean mayBeOne = lender == null || life.allocatedBy() == null;
            if (mayBeOne && isCurrent(life, deviceLife)) {
                found = life;
            }
        }
        return found;
    }

    void begin(BufferGeneration life) {
        BufferGeneration before = latest;
        if (before != null) {
            if (before.isLive()) {
                earlier = earlier.isEmpty() ? new ArrayList<>(2) : earlier;
                earlier.add(before);
            }
            AllocatorKey lender = AllocatorKey.of(before);
            if (lender.isKnown() && !lender.equals(AllocatorKey.of(life))) {
                lastOf = lastOf.isEmpty() ? new LinkedHashMap<>(2) : lastOf;
                lastOf.put(lender, before);
            }
        }
        latest = life;
        generations++;
    }

    /**
     * Returns the live buffer that a free takes a report of back, if there is one: what the same mesh lent; else what it lent
     * in an earlier opening, or a mesh that is not known did. A free that names no mesh takes what fits it best, and what a
     * reopened device or a closed mesh left behind only where nothing else is.
     */
    @Nullable
    BufferGeneration freedBy(HistoryEvent.Freed free, @Nullable MeshOpenPeriod lender, int deviceLife) {
        AllocationDetails details = free.request().details();
        BufferGeneration best = null;
        int bestRank = 0;
        for (BufferGeneration life : live()) {
            if (!life.mayBeOf(details)) {
                continue;
            }
            int rank = lender == null ? rank(life, free, deviceLife) : rank(life, lender, deviceLife);
            if (rank > 0 && rank >= bestRank && (best == null || rank > bestRank || !goesBefore(best, life, free))) {
                best = life;
                bestRank = rank;
            }
        }
        return best;
    }

    /** Of two lives whose memory one allocator reserved, the free that is late or was lost is that of the earlier. */
    private static boolean goesBefore(BufferGeneration earlier, BufferGeneration later, HistoryEvent.Freed free) {
        if (earlier.reservedAgainAt().isEmpty()) {
            return false;
        }
        AllocationDetails details = free.request().details();
        boolean may = earlier.mayBeReleasedBy(details);
        if (may != later.mayBeReleasedBy(details)) {
            return may;
        }
        return earlier.fit(free.request(), free.ownership()) >= later.fit(free.request(), free.ownership());
    }

    /**
     * Returns the last life for which a mesh, or one under its number, reserved the address with an allocator; that of an unknown
     * mesh or allocator counts too.
     */
    @Nullable
    BufferGeneration lastOf(@Nullable MeshOpenPeriod lender, AllocationDetails details) {
        BufferGeneration last = latest;
        if (last == null || mayBeOf(last, lender, details)) {
            return last;
        }
        BufferGeneration exact = lastOf.get(new AllocatorKey(lender, details.allocator()));
        return exact != null
                ? exact
                : lastOf.values().stream()
                        .filter(life -> mayBeOf(life, lender, details))
                        .max(Comparator.comparingLong(BufferGeneration::allocatedAt))
                        .orElse(null);
    }

    private static boolean mayBeOf(BufferGeneration life, @Nullable MeshOpenPeriod lender, AllocationDetails details) {
        return life.mayBeOf(details) && (lender == null || life.allocatedBy() == null || isOf(life, lender));
    }

    void ended(BufferGeneration life) {
        if (!earlier.isEmpty()) {
            earlier.remove(life);
        }
    }

    /** Returns the lives that are still in the books, oldest first, and the latest one even if it is over. */
    List<BufferGeneration> inLedger() {
        List<BufferGeneration> known = new ArrayList<>(earlier);
        if (latest != null) {
            known.add(latest);
        }
        return known;
    }

    private List<BufferGeneration> live() {
        BufferGeneration last = latest;
        if (earlier.isEmpty()) {
            return last != null && last.isLive() ? List.of(last) : List.of();
        }
        return inLedger().stream().filter(BufferGeneration::isLive).toList();
    }

    private static int rank(BufferGeneration life, MeshOpenPeriod lender, int deviceLife) {
        if (life.allocatedBy() == lender) {
            return 4;
        }
        if (life.allocatedBy() == null) {
            return isCurrent(life, deviceLife) ? 2 : 1;
        }
        return isOf(life, lender) ? 3 : 0;
    }

    private static int rank(BufferGeneration life, HistoryEvent.Freed free, int deviceLife) {
        return isCurrent(life, deviceLife) ? 2 + life.fit(free.request(), free.ownership()) : 1;
    }

    private static boolean isOf(BufferGeneration life, MeshOpenPeriod lender) {
        MeshOpenPeriod known = life.allocatedBy();
        return known != null && known.mesh() == lender.mesh();
    }

    /** Returns whether memory that is lent now may be this life's: its mesh is open, its device was not opened again. */
    private static boolean isCurrent(BufferGeneration life, int deviceLife) {
        MeshOpenPeriod lender = life.allocatedBy();
        if (lender == null || !lender.isAnnounced()) {
            return life.openPeriod() == deviceLife;
        }
        return lender.isOpen();
    }
}
