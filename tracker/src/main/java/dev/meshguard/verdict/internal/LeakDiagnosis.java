package dev.meshguard.verdict.internal;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.WitnessSnapshot.AddressState;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.Anomaly;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.Diagnosis;
import dev.meshguard.verdict.Evidence;
import dev.meshguard.verdict.InconclusiveReason.Kind;
import dev.meshguard.verdict.SurvivorStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * The diagnosis of a leak, which is undecided if the free may be missing in the reports only.
 *
 * <p>An unreported free and a free that never happened look the same in the ledger. If a witness covers a buffer, its
 * state is known nevertheless.
 */
final class LeakDiagnosis {

    private record Reason(Kind kind, Evidence evidence) {}

    private LeakDiagnosis() {}

    /** Returns the diagnosis of a leak that follows from a missing free, with all that is known about the buffer. */
    static Diagnosis withCircumstances(Cause cause, SurvivorContext survivor, Evidence decisive) {
        List<Evidence> evidence = new ArrayList<>(List.of(decisive));
        evidence.addAll(survivor.circumstances());
        return of(cause, survivor, evidence);
    }

    /**
     * Returns the diagnosis of a leak that follows from a missing free. If it is undecided, the reason follows the decisive
     * fact.
     */
    static Diagnosis of(Cause cause, SurvivorContext survivor, List<Evidence> evidence) {
        return diagnosis(cause, evidence, overtaken(survivor).or(() -> unreported(survivor)));
    }

    /** Returns the diagnosis of a leak that does not depend on a missing free. */
    static Diagnosis certain(Cause cause, SurvivorContext survivor, Evidence evidence) {
        return diagnosis(cause, List.of(evidence), overtaken(survivor));
    }

    private static Diagnosis diagnosis(Cause cause, List<Evidence> evidence, Optional<Reason> reason) {
        if (reason.isEmpty()) {
            return Diagnosis.of(cause, SurvivorStatus.LEAKED, evidence);
        }
        List<Evidence> withReason = new ArrayList<>(evidence);
        withReason.add(1, reason.get().evidence());
        return Diagnosis.undecided(cause, reason.get().kind(), withReason);
    }

    private static Optional<Reason> overtaken(SurvivorContext survivor) {
        return overtakenBy(survivor).map(free -> new Reason(Kind.OUT_OF_ORDER, free));
    }

    /**
     * Returns a free that preceded the report of its own allocation. The free found nothing, or only a buffer of
     * another owner, and has the same mesh and extent.
     */
    static Optional<Evidence> overtakenBy(SurvivorContext survivor) {
        for (BufferGeneration.Report remaining : survivor.buffer().reportsRemaining()) {
            for (Anomaly stray : survivor.strayFreesOn(survivor.buffer().device())) {
                HistoryEvent.Freed free = (HistoryEvent.Freed) stray.event();
                if (free.number() < remaining.allocatedAt() && isOf(free.request(), free.ownership(), remaining)) {
                    return Optional.of(overtaken(free.number(), remaining));
                }
            }
            // Such a free names the owner that it is of. Without one, all generations of the address would be searched
            // in vain.
            boolean hasOwner = remaining.request().details().owner().isPresent();
            for (BufferGeneration other : hasOwner ? survivor.generationsAtAddress() : List.<BufferGeneration>of()) {
                for (BufferGeneration.Report report : other.reports()) {
                    long free = report.freedAt().orElse(Long.MAX_VALUE);
                    if (free < remaining.allocatedAt()
                            && isOf(report.release().orElseThrow(), report.ownership(), remaining)
                            && !report.request()
                                    .details()
                                    .owner()
                                    .equals(remaining.request().details().owner())) {
                        return Optional.of(overtaken(free, remaining));
                    }
                }
            }
        }
        return Optional.empty();
    }

    private static Evidence overtaken(long free, BufferGeneration.Report remaining) {
        return Evidence.formatted(
                        "a free that fits it came at event #%d, before it was reported (event #%d)",
                        free, remaining.allocatedAt())
                .provedBy(free, remaining.allocatedAt());
    }

    private static boolean isOf(MemoryRequest release, Ownership ownership, BufferGeneration.Report report) {
        AllocationDetails freed = release.details();
        AllocationDetails reported = report.request().details();
        return (freed.mesh().isPresent() || freed.allocator().isPresent())
                && freed.mesh().equals(reported.mesh())
                && freed.allocator().equals(reported.allocator())
                && freed.extent().isPresent()
                && freed.extent().equals(reported.extent())
                && freed.owner().equals(reported.owner())
                && freed.processId().equals(reported.processId())
                && ownership == report.ownership();
    }

    /** Returns that the free may be missing because the source did not report for a while, or lost reports. */
    private static Optional<Reason> unreported(SurvivorContext survivor) {
        if (survivor.addressState() != AddressState.UNKNOWN && !mayListAnother(survivor)) {
            return Optional.empty();
        }
        AllocationHistory history = survivor.history();
        return gapAfter(survivor.buffer(), history)
                .map(gap -> new Reason(
                        Kind.TRACKING_OFF,
                        maybeFreed(
                                history.resumesAfter(gap) ? "tracking was off later on" : "tracking ended later on",
                                gap.number())))
                .or(() -> history.lostReports().stream()
                        .filter(lost -> lost.number() > survivor.buffer().allocatedAt())
                        .findFirst()
                        .map(lost ->
                                new Reason(Kind.REPORTS_LOST, maybeFreed("reports got lost later on", lost.number()))))
                .or(() -> freeOfReusedAddress(survivor));
    }

    /**
     * Returns whether the snapshot joins the allocators, and the address that it lists is that of a buffer of another
     * one: it does not show whose memory is allocated.
     */
    private static boolean mayListAnother(SurvivorContext survivor) {
        BufferGeneration buffer = survivor.buffer();
        return survivor.snapshot()
                .filter(event -> event.snapshot().allocator().isEmpty())
                .filter(event -> survivor.generationsAtAddress().stream()
                        .anyMatch(other -> !other.hasSameAddressAs(buffer)
                                && survivor.history().explains(other, event)))
                .isPresent();
    }

    /**
     * Returns a free that may be of this buffer, although it was matched with an earlier one: the allocator reserved the
     * address again while a report of the earlier one was open, whose free is late or missing.
     */
    private static Optional<Reason> freeOfReusedAddress(SurvivorContext survivor) {
        BufferGeneration buffer = survivor.buffer();
        return reportsBefore(survivor)
                .filter(report -> buffer.reportsRemaining().stream().anyMatch(own -> fitsAsWell(own, report)))
                .findFirst()
                .map(report -> new Reason(
                        Kind.REPORTS_FIT_BOTH,
                        Evidence.formatted(
                                        "the free of event #%d fits it as well as what event #%d reported at its address before:"
                                                + " one free is missing, and no snapshot shows of which",
                                        report.freedAt().orElseThrow(), report.allocatedAt())
                                .provedBy(report.freedAt().orElseThrow(), report.allocatedAt())));
    }

    /** Where no report names the allocator, the reports of several buffers of one mesh are one generation. */
    private static Stream<BufferGeneration.Report> reportsBefore(SurvivorContext survivor) {
        BufferGeneration buffer = survivor.buffer();
        if (buffer.allocator().isEmpty()) {
            return buffer.reports().stream()
                    .filter(report -> buffer.mesh().isPresent()
                            && report.ownership() != Ownership.NON_OWNING
                            && !report.request().details().view());
        }
        return survivor.generationsAtAddress().stream()
                .takeWhile(earlier -> earlier.allocatedAt() < buffer.allocatedAt())
                .filter(earlier -> earlier.reservedAgainAt().isPresent())
                .flatMap(earlier -> earlier.reports().stream());
    }

    private static boolean fitsAsWell(BufferGeneration.Report own, BufferGeneration.Report freed) {
        AllocationDetails details = own.request().details();
        AllocationDetails others = freed.request().details();
        OptionalLong extent =
                freed.release().map(release -> release.details().extent()).orElse(OptionalLong.empty());
        return freed.allocatedAt() < own.allocatedAt()
                && freed.freedAt().orElse(0) > own.allocatedAt()
                && freed.request() != own.request()
                && own.ownership() == freed.ownership()
                && details.mesh().equals(others.mesh())
                && details.allocator().equals(others.allocator())
                && details.owner().equals(others.owner())
                && details.processId().equals(others.processId())
                && (extent.isEmpty() || extent.equals(details.extent()));
    }

    /** Returns the first period without reports in which a buffer may have been freed. */
    static Optional<HistoryEvent.TrackingStopped> gapAfter(BufferGeneration buffer, AllocationHistory history) {
        return history.gaps().stream()
                .filter(gap -> gap.number() > buffer.allocatedAt())
                .findFirst();
    }

    private static Evidence maybeFreed(String why, long event) {
        return Evidence.formatted("%s (event #%d), so it may have been freed, and no witness speaks for it", why, event)
                .provedBy(event);
    }
}
