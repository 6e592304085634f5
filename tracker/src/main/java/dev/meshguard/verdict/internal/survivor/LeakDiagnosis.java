package dev.meshguard.verdict.internal.survivor;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.AllocatorId;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.Owner;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.WitnessSnapshot.AddressState;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.Anomaly;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.history.BufferGeneration.Report;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.Diagnosis;
import dev.meshguard.verdict.Evidence;
import dev.meshguard.verdict.InconclusiveReason.Kind;
import dev.meshguard.verdict.SurvivorStatus;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * Makes the diagnosis of a leak, which is undecided if the buffer may have been freed without a report.
 *
 * <p>An unreported free and a free that never happened look the same in the ledger. If a witness covers a buffer, its
 * state is known nevertheless.
 */
public final class LeakDiagnosis {

    private record Reason(Kind kind, Evidence evidence) {}

    private LeakDiagnosis() {}

    /** Returns the diagnosis of a leak that follows from a missing free, with all that is known about the buffer. */
    public static Diagnosis withCircumstances(Cause cause, SurvivorFacts survivor, Evidence decisive) {
        return of(cause, survivor, decisive).and(survivor.circumstances());
    }

    /** Returns the diagnosis of a leak that follows from a missing free. */
    public static Diagnosis of(Cause cause, SurvivorFacts survivor, Evidence decisive) {
        return diagnosis(cause, decisive, overtaken(survivor).or(() -> unreported(survivor)));
    }

    /** Returns the diagnosis of a leak that does not depend on a missing free. */
    public static Diagnosis certain(Cause cause, SurvivorFacts survivor, Evidence decisive) {
        return diagnosis(cause, decisive, overtaken(survivor));
    }

    private static Diagnosis diagnosis(Cause cause, Evidence decisive, Optional<Reason> reason) {
        return reason.map(
                        why -> Diagnosis.undecided(cause, why.kind(), decisive).and(Optional.of(why.evidence())))
                .orElseGet(() -> Diagnosis.of(cause, SurvivorStatus.LEAKED, decisive));
    }

    private static Optional<Reason> overtaken(SurvivorFacts survivor) {
        return overtakenBy(survivor).map(free -> new Reason(Kind.OUT_OF_ORDER, free));
    }

    /**
     * Returns a free that preceded the report of its own allocation. The free found nothing, or only a buffer of
     * another owner, and has the same mesh and extent.
     */
    static Optional<Evidence> overtakenBy(SurvivorFacts survivor) {
        return survivor.buffer().reportsRemaining().stream()
                .flatMap(remaining -> freesOfOthers(survivor, remaining)
                        .filter(freed -> freed.number() < remaining.allocatedAt() && isOf(freed, remaining))
                        .map(freed -> Evidence.formatted(
                                "a free that fits it came at event #%d, before it was reported (event #%d)",
                                freed.number(), remaining.allocatedAt())))
                .findFirst();
    }

    /**
     * Returns the frees at the address that found nothing, or a buffer of another owner. Such a free names the owner that it is
     * of: without one, all generations of the address would be searched in vain.
     */
    private static Stream<HistoryEvent.Freed> freesOfOthers(SurvivorFacts survivor, Report remaining) {
        Stream<HistoryEvent.Freed> ofNothing = survivor
                .strayFreesOn(survivor.buffer().device())
                .stream()
                .map(stray -> (HistoryEvent.Freed) stray.event());
        Optional<Owner> owner = remaining.details().owner();
        return owner.isEmpty()
                ? ofNothing
                : Stream.concat(
                        ofNothing,
                        survivor.generationsAtAddress().stream()
                                .flatMap(other -> other.reports().stream())
                                .filter(report -> !report.details().owner().equals(owner))
                                .flatMap(report -> survivor.freeOf(report).stream()));
    }

    private static boolean isOf(HistoryEvent.Freed free, Report report) {
        AllocationDetails freed = free.details();
        return (freed.mesh().isPresent() || freed.allocator().isPresent())
                && freed.extent().isPresent()
                && freed.extent().equals(report.details().extent())
                && haveOneSource(freed, report.details())
                && free.ownership() == report.ownership();
    }

    private static boolean haveOneSource(AllocationDetails one, AllocationDetails other) {
        return one.mesh().equals(other.mesh())
                && one.allocator().equals(other.allocator())
                && one.owner().equals(other.owner())
                && one.processId().equals(other.processId());
    }

    private static Optional<Reason> unreported(SurvivorFacts survivor) {
        return survivor.addressState() != AddressState.UNKNOWN && !mayListAnother(survivor)
                ? Optional.empty()
                : unreportedLater(survivor)
                        .or(() -> freeOfReusedAddress(survivor))
                        .or(() -> freeOfAnother(survivor));
    }

    /** Returns that the free may be missing because the source did not report for a while, or lost reports. */
    private static Optional<Reason> unreportedLater(SurvivorFacts survivor) {
        AllocationHistory history = survivor.history();
        return gapAfter(survivor.buffer(), history)
                .map(gap -> maybeFreed(
                        Kind.TRACKING_OFF,
                        history.resumesAfter(gap) ? "tracking was off later on" : "tracking ended later on",
                        gap))
                .or(() -> history.lostReports().stream()
                        .filter(lost -> lost.number() > survivor.buffer().allocatedAt())
                        .findFirst()
                        .map(lost -> maybeFreed(Kind.REPORTS_LOST, "reports got lost later on", lost)));
    }

    private static Reason maybeFreed(Kind kind, String why, HistoryEvent event) {
        return new Reason(
                kind,
                Evidence.formatted(
                        "%s (event #%d), so it may have been freed, and no snapshot covers it", why, event.number()));
    }

    /**
     * Returns whether the snapshot joins the allocators, and the address that it lists is that of a buffer of another
     * one: it does not show whose memory is allocated.
     */
    private static boolean mayListAnother(SurvivorFacts survivor) {
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
    private static Optional<Reason> freeOfReusedAddress(SurvivorFacts survivor) {
        List<Report> open = survivor.buffer().reportsRemaining();
        return reportsBefore(survivor)
                .filter(earlier -> open.stream().anyMatch(own -> fitsAsWell(own, earlier))
                        && open.stream().noneMatch(own -> isReservedAfter(earlier.freedAt(), own)))
                .findFirst()
                .map(report -> new Reason(
                        Kind.REPORTS_FIT_BOTH,
                        Evidence.formatted(
                                "the free of event #%d fits it as well as what event #%d reported at its address before:"
                                        + " one free is missing, and no snapshot shows of which",
                                report.freedAt().orElseThrow(), report.allocatedAt())));
    }

    /** Returns a free that names another mesh or owner and matched nothing, if what it names may be wrong. */
    private static Optional<Reason> freeOfAnother(SurvivorFacts survivor) {
        BufferGeneration buffer = survivor.buffer();
        return survivor.strayFreesOn(buffer.device()).stream()
                .filter(stray -> stray.event().number() > buffer.allocatedAt())
                .flatMap(stray -> wronglyNamed(survivor, (HistoryEvent.Freed) stray.event(), stray.kind()).stream())
                .findFirst()
                .map(free -> new Reason(Kind.REPORTS_FIT_BOTH, free));
    }

    private static Optional<Evidence> wronglyNamed(SurvivorFacts survivor, HistoryEvent.Freed free, Anomaly.Kind kind) {
        AllocationDetails details = free.details();
        if (!details.mayHaveExtentOf(survivor.buffer().request().details())
                || !AllocatorId.mayBeOne(details.allocator(), survivor.buffer().allocator())) {
            return Optional.empty();
        }
        if (kind == Anomaly.Kind.UNKNOWN_FREE && survivor.isOfRelatedMesh(details.mesh())) {
            return Optional.of(Evidence.formatted(
                    "the free of event #%d names mesh %d, and no buffer of that mesh was at the address",
                    free.number(), details.mesh().getAsInt()));
        }
        boolean mayBeIt = survivor.buffer().reportsRemaining().size() == 1
                && survivor.buffer().owner().isPresent()
                && survivor.buffer().kind() == details.kind()
                && !details.view()
                && survivor.generationsAtAddress().stream()
                        .flatMap(other -> other.reports().stream())
                        .noneMatch(report -> report.details().owner().equals(details.owner()));
        return details.owner()
                .filter(named -> mayBeIt)
                .map(named -> Evidence.formatted(
                        "the free of event #%d names %s, which had no buffer at the address", free.number(), named));
    }

    /** Where no report names the allocator, the reports of several buffers of one mesh are one generation. */
    private static Stream<Report> reportsBefore(SurvivorFacts survivor) {
        BufferGeneration buffer = survivor.buffer();
        if (buffer.allocator().isEmpty()) {
            return buffer.reports().stream().filter(report -> buffer.mesh().isPresent() && mayReserve(report));
        }
        return survivor.generationsAtAddress().stream()
                .takeWhile(earlier -> earlier.allocatedAt() < buffer.allocatedAt())
                .filter(earlier -> earlier.reservedAgainAt().isPresent())
                .flatMap(earlier -> earlier.reports().stream());
    }

    private static boolean mayReserve(Report report) {
        return report.ownership() != Ownership.NON_OWNING && !report.details().view();
    }

    /** Such a report is of memory that the free did not end, whichever earlier buffer it is of. */
    private static boolean isReservedAfter(OptionalLong free, Report own) {
        return mayReserve(own) && own.allocatedAt() > free.orElse(Long.MAX_VALUE);
    }

    private static boolean fitsAsWell(Report own, Report freed) {
        AllocationDetails details = own.details();
        return !freed.isOpen()
                && freed.wasOpenAt(own.allocatedAt())
                && freed.request() != own.request()
                && own.ownership() == freed.ownership()
                && haveOneSource(details, freed.details())
                && freed.release().stream()
                        .map(release -> release.details().extent())
                        .allMatch(extent -> extent.isEmpty() || extent.equals(details.extent()));
    }

    /** Returns the first period without reports in which a buffer may have been freed. */
    public static Optional<HistoryEvent.TrackingStopped> gapAfter(BufferGeneration buffer, AllocationHistory history) {
        return history.gaps().stream()
                .filter(gap -> gap.number() > buffer.allocatedAt())
                .findFirst();
    }
}
