package dev.meshguard.verdict.internal;

import dev.meshguard.event.BufferKind;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.WitnessSnapshot.AddressState;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.history.BufferGeneration.Report;
import java.util.List;
import java.util.OptionalLong;

/**
 * Buffers of one request that one allocator frees on all devices at once.
 *
 * <p>They are recognised by this: no object on any device owns the memory, and all have one address. Facts about most
 * of them hold for all, whatever the reports of one are.
 */
final class LockStep {

    private LockStep() {}

    /** Returns whether the siblings of a buffer are freed together. */
    static boolean binds(BufferGeneration buffer, List<BufferGeneration> siblings) {
        return siblings.size() > 1
                && buffer.kind() == BufferKind.BUFFER
                && siblings.stream()
                        .allMatch(sibling -> sibling.address() == buffer.address()
                                && sibling.request().equals(buffer.request())
                                && sibling.reports().stream()
                                        .filter(report -> report.request().equals(buffer.request()))
                                        .allMatch(report -> report.ownership() == Ownership.NON_OWNING));
    }

    /**
     * Returns the number of the event by which a survivor's memory was freed, as most of its siblings or the owner of
     * their memory show. A witness that listed it as allocated before that does not contradict.
     */
    static OptionalLong freedBy(SurvivorContext survivor) {
        BufferGeneration buffer = survivor.buffer();
        List<BufferGeneration> siblings = survivor.siblings().of(buffer);
        DeviceMajority majority = survivor.siblings().majorityOf(buffer);
        long reading = allocatedAt(survivor);
        boolean mostWent = majority.reference()
                .filter(most -> most.freed() > 0 && most.live() == 0)
                .isPresent();
        if (leavesOnlyItsRequest(buffer) && binds(buffer, siblings) && mostWent && majority.lastFree() > reading) {
            return OptionalLong.of(majority.lastFree());
        }
        return ownerFreedBy(survivor);
    }

    /** Buffers that another request has at the address since then are independent. */
    private static boolean leavesOnlyItsRequest(BufferGeneration buffer) {
        return buffer.reportsRemaining().stream()
                .allMatch(report -> report.request().equals(buffer.request()));
    }

    /**
     * Returns the number of the event that freed the one report of the request that owned the memory of all others.
     */
    static OptionalLong ownerFreedBy(SurvivorContext survivor) {
        BufferGeneration buffer = survivor.buffer();
        long reading = allocatedAt(survivor);
        boolean allPoint = buffer.reportsRemaining().stream()
                .allMatch(report -> report.ownership() == Ownership.NON_OWNING
                        && report.request().equals(buffer.request())
                        && report.request().details().kind() == BufferKind.BUFFER);
        if (!allPoint) {
            return OptionalLong.empty();
        }
        List<Report> owners = survivor.history().buffersOf(buffer.request()).stream()
                .filter(sibling -> sibling.address() == buffer.address())
                .filter(sibling -> sibling.type() == buffer.type() && sibling.kind() == buffer.kind())
                .flatMap(sibling -> sibling.reports().stream())
                .filter(report -> report.request().equals(buffer.request()))
                .filter(report -> report.ownership() == Ownership.OWNING)
                .toList();
        boolean allWent = owners.size() == 1
                && survivor.freeOf(owners.get(0))
                        .filter(free -> free.ownership() == Ownership.OWNING && free.number() > reading)
                        .isPresent();
        return allWent ? owners.get(0).freedAt() : OptionalLong.empty();
    }

    private static long allocatedAt(SurvivorContext survivor) {
        return survivor.addressState(survivor.checkMoment()) == AddressState.ALLOCATED
                ? survivor.reading(survivor.checkMoment()).orElseThrow().number()
                : 0;
    }
}
