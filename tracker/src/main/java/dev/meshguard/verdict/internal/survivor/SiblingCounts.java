package dev.meshguard.verdict.internal.survivor;

import dev.meshguard.event.BufferKind;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.WitnessSnapshot.AddressState;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.history.BufferGeneration.Report;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * The buffers of one request or line: how many each device has, and what they prove about one that seems live.
 *
 * <p>Most devices are more than half of them. Two devices that differ have no majority.
 */
public final class SiblingCounts {

    /**
     * The counts of one device.
     *
     * @param allocated how many buffers it allocated
     * @param freed how many of them it freed
     */
    public record AllocationFreeCount(int allocated, int freed) {

        static final AllocationFreeCount NOTHING = new AllocationFreeCount(0, 0);

        public int live() {
            return allocated - freed;
        }

        private AllocationFreeCount and(AllocationFreeCount other) {
            return new AllocationFreeCount(allocated + other.allocated, freed + other.freed);
        }
    }

    private final List<BufferGeneration> buffers;
    private final Map<Integer, AllocationFreeCount> devices = new TreeMap<>();
    private final Optional<AllocationFreeCount> majority;
    private final long lastFree;
    private final boolean freesWereCollections;

    /**
     * Counts for each device. Where one witness covers all buffers, one of the ledger counts as freed if the witness lists it as
     * free.
     *
     * @param buffers the buffers, at least one
     */
    SiblingCounts(List<BufferGeneration> buffers, HistoryIndex index) {
        this.buffers = buffers;
        boolean oneWitness =
                buffers.stream().map(BufferGeneration::mesh).distinct().count() == 1;
        long last = 0;
        boolean collected = true;
        for (BufferGeneration sibling : buffers) {
            OptionalLong freedAt = sibling.isLive() && oneWitness
                    ? new SurvivorFacts(sibling, index).provedFreeAt()
                    : sibling.freedAt();
            devices.merge(
                    sibling.device(),
                    new AllocationFreeCount(1, freedAt.isPresent() ? 1 : 0),
                    AllocationFreeCount::and);
            last = Math.max(last, freedAt.orElse(0));
            collected &= freedAt.isEmpty() || sibling.isCollected();
        }
        this.lastFree = last;
        this.freesWereCollections = collected && last > 0;
        this.majority = devices.values().stream()
                .filter(count -> followers(count) * 2 > devices.size())
                .findFirst();
    }

    public int devices() {
        return devices.size();
    }

    public AllocationFreeCount of(int device) {
        return devices.getOrDefault(device, AllocationFreeCount.NOTHING);
    }

    /** Returns the counts of all devices together. */
    public AllocationFreeCount total() {
        return devices.values().stream().reduce(AllocationFreeCount.NOTHING, AllocationFreeCount::and);
    }

    /** Returns the counts of most devices, if they agree and freed all that they allocated. */
    public Optional<AllocationFreeCount> mostFreedAll() {
        return majority.filter(most -> most.freed() > 0 && most.live() == 0);
    }

    /** Returns how many devices have the given counts. */
    public int followers(AllocationFreeCount count) {
        return Collections.frequency(devices.values(), count);
    }

    /** Returns the number of the last event that freed one of them, or 0. */
    public long lastFree() {
        return lastFree;
    }

    /** Returns whether all frees were garbage collections of handles. */
    public boolean freesWereCollections() {
        return freesWereCollections;
    }

    public boolean areOfOneRequest() {
        return buffers.stream()
                .allMatch(sibling -> sibling.request().equals(buffers.get(0).request()));
    }

    /**
     * Returns whether one allocator frees them on all devices at once: they are buffers of one request at one address,
     * and no object on any device owns the memory. Facts about most of them hold for all, whatever the reports of one are.
     */
    public boolean areFreedTogether() {
        BufferGeneration first = buffers.get(0);
        return buffers.size() > 1
                && areOfOneRequest()
                && first.kind() == BufferKind.BUFFER
                && buffers.stream().allMatch(sibling -> sibling.address() == first.address())
                && buffers.stream()
                        .flatMap(sibling -> sibling.reports().stream())
                        .filter(report -> report.request().equals(first.request()))
                        .allMatch(report -> report.ownership() == Ownership.NON_OWNING);
    }

    /**
     * Returns the number of the event by which the memory of one of them was freed, as most of the others or the owner of
     * their memory show. A witness that listed it as allocated before that does not contradict.
     */
    public OptionalLong freedWith(SurvivorFacts survivor) {
        boolean isHeldByItsRequestOnly = survivor.buffer().reportsRemaining().stream()
                .allMatch(report -> report.request().equals(survivor.buffer().request()));
        return isHeldByItsRequestOnly
                        && mostFreedAll().isPresent()
                        && areFreedTogether()
                        && lastFree > listedAt(survivor)
                ? OptionalLong.of(lastFree)
                : ownerFreedAt(survivor);
    }

    /**
     * Returns the number of the event that freed the one report of a survivor's request that owned the memory of all others.
     */
    public OptionalLong ownerFreedAt(SurvivorFacts survivor) {
        BufferGeneration buffer = survivor.buffer();
        boolean ownsNothing = buffer.reportsRemaining().stream()
                .allMatch(report -> report.ownership() == Ownership.NON_OWNING
                        && report.request().equals(buffer.request())
                        && report.details().kind() == BufferKind.BUFFER);
        if (!ownsNothing) {
            return OptionalLong.empty();
        }
        List<Report> owners = survivor.history().buffersOf(buffer.request()).stream()
                .filter(sibling -> sibling.address() == buffer.address())
                .filter(sibling -> sibling.type() == buffer.type() && sibling.kind() == buffer.kind())
                .flatMap(sibling -> sibling.reports().stream())
                .filter(report -> report.request().equals(buffer.request()))
                .filter(report -> report.ownership() == Ownership.OWNING)
                .toList();
        boolean isFreed = owners.size() == 1
                && survivor.freeOf(owners.get(0))
                        .filter(free -> free.ownership() == Ownership.OWNING && free.number() > listedAt(survivor))
                        .filter(free -> isOfOneBuffer(buffer, owners.get(0), free.number()))
                        .isPresent();
        return isFreed ? owners.get(0).freedAt() : OptionalLong.empty();
    }

    /** Where another buffer was reported at the address meanwhile, which is no view of this one, the free may be of it. */
    private static boolean isOfOneBuffer(BufferGeneration buffer, Report owner, long freedAt) {
        return buffer.reports().stream()
                .filter(report ->
                        !report.request().equals(owner.request()) && !RepeatedReportEvidence.isViewOf(report, owner))
                .noneMatch(other ->
                        other.allocatedAt() < freedAt && other.freedAt().orElse(Long.MAX_VALUE) > owner.allocatedAt());
    }

    /** Returns the number of the snapshot that listed a survivor as allocated, or 0. */
    private static long listedAt(SurvivorFacts survivor) {
        return survivor.addressState() == AddressState.ALLOCATED
                ? survivor.snapshot().orElseThrow().number()
                : 0;
    }
}
