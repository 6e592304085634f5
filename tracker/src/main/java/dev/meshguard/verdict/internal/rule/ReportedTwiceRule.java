package dev.meshguard.verdict.internal.rule;

import dev.meshguard.event.BufferKind;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.WitnessSnapshot.AddressState;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.history.BufferGeneration.Report;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.Diagnosis;
import dev.meshguard.verdict.Evidence;
import dev.meshguard.verdict.SurvivorStatus;
import dev.meshguard.verdict.internal.survivor.Phrases;
import dev.meshguard.verdict.internal.survivor.RepeatedReportEvidence;
import dev.meshguard.verdict.internal.survivor.SurvivorFacts;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Gives the cause {@code REPORTED_TWICE} to a survivor that is one physical allocation, which several objects reported
 * and fewer freed.
 *
 * <p>Two proofs are needed:
 * <ul>
 *   <li>The reports are about one allocation: they belong to one request, or one of them owns the memory and another
 *       only points to it.
 *   <li>The memory is gone: the witness lists it as free, or, without a witness, the report that owned it was freed.
 * </ul>
 *
 * <p>A view of a part of a buffer needs no proof that the memory is gone: it never reserved any.
 *
 * <p>A later buffer at the same address, whose predecessor's free was lost, has neither proof. A circular buffer is no
 * allocation at all: it may share the address of a buffer.
 */
public final class ReportedTwiceRule implements Rule {

    @Override
    public Optional<Diagnosis> examine(SurvivorFacts survivor) {
        if (survivor.freesAreInferred()) {
            return Optional.empty();
        }
        return reportedForItsMesh(survivor)
                .or(() -> viewOfAPart(survivor))
                .map(ReportedTwiceRule::reportedTwice)
                .or(() -> reportedAgain(survivor)
                        .map(again -> reportedTwice(again)
                                .and(survivor.snapshotEvidence())
                                .and(RepeatedReportEvidence.of(survivor))));
    }

    private static Diagnosis reportedTwice(Evidence decisive) {
        return Diagnosis.of(Cause.REPORTED_TWICE, SurvivorStatus.MISREPORTED, decisive);
    }

    /**
     * A mesh has no memory on a device that it does not cover. Its own object was reported under the number of a
     * device, and only such reports remain.
     */
    private static Optional<Evidence> reportedForItsMesh(SurvivorFacts survivor) {
        BufferGeneration buffer = survivor.buffer();
        Optional<Report> real = buffer.reports().stream()
                .filter(report -> report.device() == buffer.device())
                .findFirst();
        boolean isReal = buffer.reportsRemaining().stream().anyMatch(report -> report.device() == buffer.device());
        boolean isKept = buffer.owner().filter(survivor.history()::isCached).isPresent();
        if (buffer.mesh().isEmpty() || real.isEmpty() || isReal || isKept) {
            return Optional.empty();
        }
        Report remaining = buffer.reportsRemaining().get(0);
        return Optional.of(Evidence.formatted(
                "mesh %d does not lie over device %d: event #%d reports what event #%d reports on device %d",
                buffer.mesh().getAsInt(),
                remaining.device(),
                remaining.allocatedAt(),
                real.get().allocatedAt(),
                buffer.device()));
    }

    private static Optional<Evidence> viewOfAPart(SurvivorFacts survivor) {
        BufferGeneration buffer = survivor.buffer();
        boolean isView = buffer.reportsRemaining().stream().allMatch(ReportedTwiceRule::isView);
        return buffer.viewedReport().isPresent() && isView && survivor.addressState() != AddressState.ALLOCATED
                ? Optional.of(Evidence.formatted(
                        "a view (event #%d) of a part of the buffer of event #%d, which reserved the memory",
                        buffer.allocatedAt(), buffer.viewedReport().getAsLong()))
                : Optional.empty();
    }

    private static Optional<Evidence> reportedAgain(SurvivorFacts survivor) {
        List<Report> there = reportsThere(survivor);
        List<Report> own = survivor.buffer().reports();
        List<Report> reports = own.size() == 1 ? there : own;
        List<Long> numbers = reports.stream().map(Report::allocatedAt).toList();
        int freed = (int) reports.stream().filter(report -> !report.isOpen()).count();
        return freed == 0 || !areOfOneAllocation(survivor, there) || !isGone(survivor)
                ? Optional.empty()
                : Optional.of(Evidence.formatted(
                                "reported %d times at one live address (events %s), freed %s",
                                reports.size(), Phrases.events(numbers), Phrases.times(freed))
                        .provedBy(numbers));
    }

    /** A free in between may split the reports of one request into two generations. */
    private static List<Report> reportsThere(SurvivorFacts survivor) {
        BufferGeneration buffer = survivor.buffer();
        Stream<Report> ofTheSameRequests = buffer.reportsRemaining().stream()
                .flatMap(remaining -> survivor.history().buffersOf(remaining.request()).stream()
                        .filter(sibling -> sibling.hasSameAddressAs(buffer))
                        .flatMap(sibling -> sibling.reports().stream())
                        .filter(remaining::isOfOneRequestWith));
        return Stream.concat(buffer.reports().stream(), ofTheSameRequests)
                .distinct()
                .sorted(Comparator.comparingLong(Report::allocatedAt))
                .toList();
    }

    /** Returns whether every remaining report belongs to an allocation of which another report was freed. */
    private static boolean areOfOneAllocation(SurvivorFacts survivor, List<Report> reports) {
        return reports.stream().allMatch(report -> report.details().kind() == BufferKind.BUFFER)
                && survivor.buffer().reportsRemaining().stream()
                        .allMatch(remaining -> reports.stream()
                                .filter(report -> !report.isOpen())
                                .anyMatch(gone -> remaining.isOfOneRequestWith(gone)
                                        || isView(survivor, remaining, gone)
                                        || isView(survivor, gone, remaining)));
    }

    /**
     * A request that also reported on other devices is no view of memory on this one only, unless it says that it is a
     * view.
     */
    private static boolean isView(SurvivorFacts survivor, Report view, Report owner) {
        return RepeatedReportEvidence.isViewOf(view, owner)
                && (view.details().view() || devicesOf(survivor, owner).containsAll(devicesOf(survivor, view)));
    }

    private static Set<Integer> devicesOf(SurvivorFacts survivor, Report report) {
        return survivor.history().buffersOf(report.request()).stream()
                .map(BufferGeneration::device)
                .collect(Collectors.toSet());
    }

    private static boolean isView(Report report) {
        return report.ownership() == Ownership.NON_OWNING || report.details().view();
    }

    private static boolean isGone(SurvivorFacts survivor) {
        AddressState state = survivor.addressState();
        return state == AddressState.FREE
                || (state == AddressState.UNKNOWN && ownerIsGone(survivor))
                || survivor.freeAfterClose().isPresent()
                || survivor.siblings().freedWith(survivor).isPresent();
    }

    /**
     * A free without an owner was matched to some report, which proves nothing. Reports before the owner's allocation,
     * after its free, or with a larger size never pointed to it.
     */
    private static boolean ownerIsGone(SurvivorFacts survivor) {
        List<Report> owners = survivor.buffer().reports().stream()
                .filter(report -> report.ownership() == Ownership.OWNING)
                .toList();
        return !owners.isEmpty()
                && owners.stream()
                        .allMatch(owner -> survivor.freeOf(owner)
                                .filter(free -> free.ownership() == Ownership.OWNING)
                                .filter(free -> survivor.buffer().reportsRemaining().stream()
                                        .allMatch(report ->
                                                report.allocatedAt() < free.number() && couldPointTo(owner, report)))
                                .isPresent());
    }

    /** The reports of one request come in any order. */
    private static boolean couldPointTo(Report owner, Report report) {
        return report.isOfOneRequestWith(owner)
                || (report.allocatedAt() > owner.allocatedAt() && report.size() <= owner.size());
    }
}
