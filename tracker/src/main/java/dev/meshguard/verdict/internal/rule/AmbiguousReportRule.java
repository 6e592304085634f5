package dev.meshguard.verdict.internal.rule;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferKind;
import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.CircularBufferBase;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.WitnessSnapshot.AddressState;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.Anomaly;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.history.BufferGeneration.Report;
import dev.meshguard.text.Quantities;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.Diagnosis;
import dev.meshguard.verdict.Evidence;
import dev.meshguard.verdict.InconclusiveReason;
import dev.meshguard.verdict.internal.survivor.SurvivorFacts;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Leaves the cause open for a buffer of a source that reports only device, memory, address, size and process, where the
 * reports fit both a leak and freed memory.
 *
 * <p>A server's log is such a source. It does not say which reports are about views or circular buffers. If the reports
 * show that one of them may be, or that the free was reported elsewhere, neither a leak nor a cause is proved. Hints
 * from addresses are evidence, but no cause.
 */
public final class AmbiguousReportRule implements Rule {

    /** By device, as far as survivors there were examined: the addresses of L1 that follow one another from a base. */
    private final Map<Integer, Map<Long, CircularBufferBase>> stacks = new HashMap<>();

    @Override
    public Optional<Diagnosis> examine(SurvivorFacts survivor) {
        BufferGeneration buffer = survivor.buffer();
        if (!buffer.isLive() || !isBare(buffer) || isKnownOtherwise(survivor)) {
            return Optional.empty();
        }
        boolean isAnonymous = buffer.request().isAnonymous();
        List<Evidence> reasons = Stream.of(
                        severalReports(survivor),
                        isAnonymous ? Optional.<Evidence>empty() : freedElsewhere(survivor),
                        isAnonymous ? Optional.<Evidence>empty() : freedBefore(survivor),
                        onTheStack(survivor))
                .flatMap(Optional::stream)
                .toList();
        return reasons.stream()
                .findFirst()
                .map(first -> Diagnosis.undecided(Cause.UNEXPLAINED, InconclusiveReason.Kind.REPORTS_FIT_BOTH, first)
                        .and(reasons.subList(1, reasons.size())));
    }

    /** A witness, a handle, or a release after the close is better evidence than the reports. */
    private static boolean isKnownOtherwise(SurvivorFacts survivor) {
        return survivor.addressState() != AddressState.UNKNOWN
                || survivor.freeAfterClose().isPresent()
                || !survivor.traces().isEmpty();
    }

    private static boolean isBare(BufferGeneration buffer) {
        return buffer.reports().stream().allMatch(AmbiguousReportRule::isBare);
    }

    private static boolean isBare(Report report) {
        AllocationDetails details = report.details();
        return report.ownership() == Ownership.UNKNOWN
                && details.kind() == BufferKind.BUFFER
                && details.lifetime() == BufferLifetime.USER
                && details.mesh().isEmpty()
                && details.owner().isEmpty()
                && details.extent().isEmpty()
                && details.label().isEmpty()
                && report.request().origin().isEmpty();
    }

    /**
     * No allocator reuses an address that it holds: one of the reports is about another object, or a free is missing.
     */
    private static Optional<Evidence> severalReports(SurvivorFacts survivor) {
        BufferGeneration buffer = survivor.buffer();
        List<Report> open = buffer.reportsRemaining();
        if (open.size() > 1 && !isOneOfEachDeadProcess(survivor)) {
            return Optional.of(Evidence.formatted(
                            "%d reports of this address are open, and an allocator does not allocate an address twice: some are of a"
                                    + " view or a circular buffer, or a free is missing (the last report is event #%d)",
                            open.size(), open.get(open.size() - 1).allocatedAt())
                    .provedBy(open.stream().map(Report::allocatedAt).toList()));
        }
        List<Report> reports = buffer.reports();
        return IntStream.range(1, reports.size())
                .filter(later -> isTheSameAgain(reports.get(later - 1), reports.get(later)))
                .mapToObj(later -> Evidence.formatted(
                        "it was reported twice in a row (events #%d and #%d) and not freed as often: one report may be of"
                                + " a view, whose end need not be reported",
                        reports.get(later - 1).allocatedAt(), reports.get(later).allocatedAt()))
                .findFirst();
    }

    /** Processes that share a buffer report it once each, and none of these can free it. */
    private static boolean isOneOfEachDeadProcess(SurvivorFacts survivor) {
        List<Report> open = survivor.buffer().reportsRemaining();
        return ProcessDiedRule.isOfDeadProcess(survivor)
                && open.stream()
                                .map(report -> report.details().processId())
                                .distinct()
                                .count()
                        == open.size();
    }

    /** Only a log repeats a report in this way, and its reports always have details. */
    private static boolean isTheSameAgain(Report earlier, Report later) {
        return !later.request().isAnonymous()
                && later.allocatedAt() == earlier.allocatedAt() + 1
                && later.size() == earlier.size()
                && later.details().equals(earlier.details());
    }

    private Optional<Evidence> freedElsewhere(SurvivorFacts survivor) {
        BufferGeneration buffer = survivor.buffer();
        long last = buffer.lastOpenReportAt().orElse(0);
        return survivor.history().devices().stream()
                .filter(device -> device != buffer.device())
                .flatMap(device -> survivor.strayFreesOn(device).stream())
                .filter(stray -> stray.event().number() > last)
                .min(Comparator.comparingLong(stray -> stray.event().number()))
                .map(stray -> Evidence.formatted(
                        "a free of this address on device %d found nothing there (event #%d): it may be this buffer's,"
                                + " reported under another device",
                        stray.device(), stray.event().number()));
    }

    /** The free that found nothing came between the previous generation and this one. */
    private static Optional<Evidence> freedBefore(SurvivorFacts survivor) {
        BufferGeneration buffer = survivor.buffer();
        return survivor.strayFreesOn(buffer.device()).stream()
                .filter(stray ->
                        stray.event().number() < buffer.allocatedAt() && generationOf(stray) == buffer.generation() - 1)
                .findFirst()
                .map(stray -> Evidence.formatted(
                        "a free of it found nothing (event #%d) before it was reported (event #%d): the free may have"
                                + " overtaken the report",
                        stray.event().number(), buffer.allocatedAt()));
    }

    private static int generationOf(Anomaly stray) {
        return stray.generation().map(BufferGeneration::generation).orElse(0);
    }

    private Optional<Evidence> onTheStack(SurvivorFacts survivor) {
        BufferGeneration buffer = survivor.buffer();
        if (buffer.type() != BufferType.L1) {
            return Optional.empty();
        }
        CircularBufferBase base = stacks.computeIfAbsent(buffer.device(), device -> stackOn(device, survivor.history()))
                .get(buffer.address());
        return Optional.ofNullable(base)
                .map(found -> Evidence.formatted(
                                "it lies in a stack of L1 buffers without gaps from %s, where L1 begins on %s. Circular buffers"
                                        + " stack upward from there, and the allocator allocates L1 from the top",
                                Quantities.address(found.address()), found.description())
                        .provedBy(List.of(buffer.allocatedAt())));
    }

    /** Returns the addresses of L1 that follow one another from a known base, with that base. */
    private static Map<Long, CircularBufferBase> stackOn(int device, AllocationHistory history) {
        List<BufferGeneration> l1 = history.live().stream()
                .filter(buffer -> buffer.device() == device && buffer.type() == BufferType.L1 && isBare(buffer))
                .sorted(Comparator.comparingLong(BufferGeneration::address))
                .toList();
        Map<Long, CircularBufferBase> stacked = new HashMap<>();
        for (CircularBufferBase base : CircularBufferBase.values()) {
            Set<Long> reached = new HashSet<>(Set.of(base.address()));
            for (BufferGeneration buffer : l1) {
                if (reached.contains(buffer.address())) {
                    stacked.put(buffer.address(), base);
                    buffer.reports().forEach(report -> reached.add(endOf(buffer.address(), report.size(), base)));
                }
            }
        }
        return stacked;
    }

    private static long endOf(long address, long size, CircularBufferBase base) {
        return (address + size + base.alignment() - 1) / base.alignment() * base.alignment();
    }
}
