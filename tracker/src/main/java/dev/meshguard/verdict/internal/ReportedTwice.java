package dev.meshguard.verdict.internal;

import dev.meshguard.event.BufferKind;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.WitnessSnapshot.AddressState;
import dev.meshguard.tracker.history.BufferGeneration;
import dev.meshguard.tracker.history.BufferGeneration.Report;
import dev.meshguard.tracker.history.HistoryEvent;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.Diagnosis;
import dev.meshguard.verdict.Evidence;
import dev.meshguard.verdict.SurvivorStatus;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * One physical allocation that several objects reported, and fewer took back.
 *
 * <p>Two proofs are needed. That the reports are of one allocation: they belong to one request, or one of them owns
 * the memory and another only points to it. And that the memory is gone: the witness says so, or, where there is none,
 * the report that owned it was taken back. A later buffer at the same address, whose predecessor's free was lost, has
 * neither, and a circular buffer is no allocation at all: it may lie where a buffer does.
 */
final class ReportedTwice implements Rule {

    @Override
    public Optional<Diagnosis> examine(SurvivorContext survivor) {
        BufferGeneration buffer = survivor.buffer();
        Optional<Diagnosis> elsewhere = reportedForItsMesh(survivor);
        if (elsewhere.isPresent()) {
            return elsewhere;
        }
        List<Report> reports = reportsThere(survivor);
        if (buffer.kind() != BufferKind.BUFFER || reports.size() < 2) {
            return Optional.empty();
        }
        long takenBack = reports.stream().filter(report -> !report.isOpen()).count();
        if (takenBack == 0 || !areOfOneAllocation(survivor)) {
            return Optional.empty();
        }
        AddressState testimony = survivor.addressState(survivor.checkMoment());
        boolean gone = testimony == AddressState.FREE
                || (testimony == AddressState.UNKNOWN && ownerIsGone(survivor))
                || survivor.freeAfterClose().isPresent()
                || LockStep.freedBy(survivor).isPresent();
        if (!gone) {
            return Optional.empty();
        }
        List<Evidence> evidence = new ArrayList<>();
        evidence.add(Evidence.of(
                String.format(
                        Locale.ROOT,
                        "reported %d times at one live address (events %s), freed %s",
                        reports.size(),
                        Phrases.events(reports.stream().map(Report::allocatedAt).toList()),
                        Phrases.times((int) takenBack)),
                reports.stream().mapToLong(Report::allocatedAt).toArray()));
        survivor.statement(survivor.checkMoment()).ifPresent(evidence::add);
        evidence.addAll(RepeatedReports.of(survivor));
        return Optional.of(new Diagnosis(Cause.REPORTED_TWICE, SurvivorStatus.MISREPORTED, evidence));
    }

    /** What one request reported alone may be parted by a free that came in between. */
    private static List<Report> reportsThere(SurvivorContext survivor) {
        List<Report> reports = survivor.buffer().reports();
        return reports.size() == 1
                        && survivor.history()
                                        .buffersOf(reports.get(0).request())
                                        .size()
                                > 1
                ? reportsOfTheSameThere(survivor, reports.get(0))
                        .distinct()
                        .sorted(Comparator.comparingLong(Report::allocatedAt))
                        .toList()
                : reports;
    }

    /**
     * A mesh has no memory on a device that it does not lie over: its own object was reported under the number of a device, and only
     * such reports are left.
     */
    private static Optional<Diagnosis> reportedForItsMesh(SurvivorContext survivor) {
        BufferGeneration buffer = survivor.buffer();
        if (buffer.mesh().isEmpty() || buffer.reports().size() < 2) {
            return Optional.empty();
        }
        Optional<Report> real = buffer.reports().stream()
                .filter(report -> deviceOf(survivor, report) == buffer.device())
                .findFirst();
        boolean isKept = buffer.owner()
                .filter(owner -> survivor.history().cachingOf(owner).isPresent()
                        && survivor.history().endOf(owner).isEmpty())
                .isPresent();
        boolean isReal =
                buffer.reportsRemaining().stream().anyMatch(report -> deviceOf(survivor, report) == buffer.device());
        if (real.isEmpty() || isReal || isKept) {
            return Optional.empty();
        }
        Report left = buffer.reportsRemaining().get(0);
        return Optional.of(Diagnosis.of(
                Cause.REPORTED_TWICE,
                SurvivorStatus.MISREPORTED,
                Evidence.of(
                        String.format(
                                Locale.ROOT,
                                "mesh %d does not lie over device %d: event #%d reports what event #%d reports on device %d",
                                buffer.mesh().getAsInt(),
                                deviceOf(survivor, left),
                                left.allocatedAt(),
                                real.get().allocatedAt(),
                                buffer.device()),
                        left.allocatedAt(),
                        real.get().allocatedAt())));
    }

    /** Returns the device that a report named, which is another than the buffer's where a mesh does not lie over it. */
    private static int deviceOf(SurvivorContext survivor, Report report) {
        return survivor.history()
                .event(report.allocatedAt())
                .filter(HistoryEvent.Allocated.class::isInstance)
                .map(event -> ((HistoryEvent.Allocated) event).device())
                .orElse(survivor.buffer().device());
    }

    /** Every report that is left belongs to an allocation of which another report was taken back. */
    private static boolean areOfOneAllocation(SurvivorContext survivor) {
        List<Report> reports = survivor.buffer().reports();
        return reports.stream().allMatch(report -> report.request().details().kind() == BufferKind.BUFFER)
                && reports.stream()
                        .filter(Report::isOpen)
                        .allMatch(left -> reportsOfTheSameThere(survivor, left)
                                .filter(report -> !report.isOpen())
                                .anyMatch(gone -> isSameRequest(left, gone)
                                        || isView(survivor, left, gone)
                                        || isView(survivor, gone, left)));
    }

    /** What one request reported may be parted by a free that came in between. */
    private static Stream<Report> reportsOfTheSameThere(SurvivorContext survivor, Report left) {
        return Stream.concat(
                survivor.buffer().reports().stream(),
                survivor.history().buffersOf(left.request()).stream()
                        .filter(sibling -> sibling.hasSameAddressAs(survivor.buffer()))
                        .flatMap(sibling -> sibling.reports().stream())
                        .filter(report -> isSameRequest(report, left)));
    }

    /** Nothing that a request reported on other devices too is a view of what lies on this one only. */
    private static boolean isView(SurvivorContext survivor, Report view, Report owner) {
        return pointsTo(view, owner) && devicesOf(survivor, owner).containsAll(devicesOf(survivor, view));
    }

    private static Set<Integer> devicesOf(SurvivorContext survivor, Report report) {
        return survivor.history().buffersOf(report.request()).stream()
                .map(BufferGeneration::device)
                .collect(Collectors.toSet());
    }

    @SuppressWarnings("ReferenceEquality") // A request is itself only.
    private static boolean isSameRequest(Report one, Report other) {
        return one.request() == other.request() && !one.request().isAnonymous();
    }

    private static boolean pointsTo(Report view, Report owner) {
        return view.ownership() == Ownership.NON_OWNING
                && owner.ownership() == Ownership.OWNING
                && view.allocatedAt() > owner.allocatedAt()
                && view.size() <= owner.size();
    }

    /**
     * A free that does not say whose it is was matched to some report, which proves nothing; and what was reported before
     * the owner came or after it was gone, or is larger, never pointed to it.
     */
    private static boolean ownerIsGone(SurvivorContext survivor) {
        List<Report> reports = survivor.buffer().reports();
        List<Report> owners = reports.stream()
                .filter(report -> report.ownership() == Ownership.OWNING)
                .toList();
        return !owners.isEmpty()
                && owners.stream()
                        .allMatch(owner -> survivor.freeOf(owner)
                                .filter(free -> free.ownership() == Ownership.OWNING)
                                .filter(free -> reports.stream()
                                        .filter(Report::isOpen)
                                        .allMatch(report ->
                                                couldPointTo(owner, report) && report.allocatedAt() < free.number()))
                                .isPresent());
    }

    /** What one request reports comes in any order. */
    private static boolean couldPointTo(Report owner, Report report) {
        return isSameRequest(report, owner)
                || (report.allocatedAt() > owner.allocatedAt() && report.size() <= owner.size());
    }
}
