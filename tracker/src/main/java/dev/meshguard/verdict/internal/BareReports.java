package dev.meshguard.verdict.internal;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferKind;
import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.L1Base;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.Quantities;
import dev.meshguard.event.WitnessSnapshot.AddressState;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.Anomaly;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.history.BufferGeneration.Report;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.Diagnosis;
import dev.meshguard.verdict.Evidence;
import dev.meshguard.verdict.InconclusiveReason;
import dev.meshguard.verdict.SurvivorStatus;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Buffers of a source that reports only device, memory, address, size and process, where the reports fit both a leak
 * and freed memory.
 *
 * <p>A server's log is such a source. It does not say which reports are about views or circular buffers. If the reports
 * show that one of them may be, or that the free was reported elsewhere, neither a leak nor a cause is proved. Hints
 * from addresses are evidence, but no cause.
 */
final class BareReports {

    /** The data that would decide it, for every reason. */
    private static final String WHAT_DECIDES =
            "A reading of the allocators when the close begins would decide it, or a source that names the owner and the kind of"
                    + " each buffer.";

    private final AllocationHistory history;
    private final List<BufferGeneration> survivors;
    private final List<Undecided> found = new ArrayList<>();
    private @Nullable Map<Integer, Map<Long, L1Base>> stacks;
    private @Nullable Map<Long, List<Anomaly>> strayFrees;

    private record Undecided(BufferGeneration buffer, Evidence reason) {}

    BareReports(AllocationHistory history, List<BufferGeneration> remaining) {
        this.history = history;
        this.survivors = remaining;
    }

    /** Returns why a buffer is undecided, if its reports hold so little and fit both. */
    Optional<Diagnosis> diagnose(SurvivorContext survivor) {
        BufferGeneration buffer = survivor.buffer();
        if (!isBare(buffer) || isKnownOtherwise(survivor)) {
            return Optional.empty();
        }
        List<Evidence> reasons = new ArrayList<>();
        severalReports(buffer).ifPresent(reasons::add);
        freedElsewhere(buffer).ifPresent(reasons::add);
        freedBefore(buffer).ifPresent(reasons::add);
        onTheStack(buffer).ifPresent(reasons::add);
        if (reasons.isEmpty()) {
            return Optional.empty();
        }
        found.add(new Undecided(buffer, reasons.get(0)));
        return Optional.of(new Diagnosis(Cause.UNEXPLAINED, SurvivorStatus.UNDECIDED, reasons));
    }

    /** Returns the reason for an inconclusive verdict, if any buffer was undecided. */
    Optional<InconclusiveReason> inconclusiveReason() {
        if (found.isEmpty()) {
            return Optional.empty();
        }
        Undecided first = found.get(0);
        String words = String.format(
                Locale.ROOT,
                "The reports of %s fit a leak as well as freed memory; the first is %s. %s",
                Quantities.count(found.size(), "buffer"),
                first.buffer(),
                WHAT_DECIDES);
        return Optional.of(new InconclusiveReason(
                InconclusiveReason.Kind.REPORTS_FIT_BOTH, words, first.reason().events()));
    }

    /** A witness, a handle, or a release after the close is better evidence than the reports. */
    private static boolean isKnownOtherwise(SurvivorContext survivor) {
        return survivor.addressState(survivor.checkMoment()) != AddressState.UNKNOWN
                || survivor.freeAfterClose().isPresent()
                || !survivor.traces().isEmpty();
    }

    private static boolean isBare(BufferGeneration buffer) {
        return buffer.reports().stream().allMatch(BareReports::isBare);
    }

    private static boolean isBare(Report report) {
        AllocationDetails details = report.request().details();
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
    private static Optional<Evidence> severalReports(BufferGeneration buffer) {
        List<Report> open = buffer.reportsRemaining();
        if (open.size() > 1) {
            return Optional.of(Evidence.of(
                    String.format(
                            Locale.ROOT,
                            "%d reports of this address are open, and an allocator does not allocate an address twice: some are of a"
                                    + " view or a circular buffer, or a free is missing (the last report is event #%d)",
                            open.size(),
                            open.get(open.size() - 1).allocatedAt()),
                    open.stream().mapToLong(Report::allocatedAt).toArray()));
        }
        List<Report> reports = buffer.reports();
        for (int i = 1; i < reports.size(); i++) {
            Report earlier = reports.get(i - 1);
            Report later = reports.get(i);
            if (isTheSameAgain(earlier, later)) {
                return Optional.of(Evidence.of(
                        String.format(
                                Locale.ROOT,
                                "it was reported twice in a row (events #%d and #%d) and not freed as often: one report may be of"
                                        + " a view, whose end need not be reported",
                                earlier.allocatedAt(),
                                later.allocatedAt()),
                        earlier.allocatedAt(),
                        later.allocatedAt()));
            }
        }
        return Optional.empty();
    }

    /** Reports without any details are ordered by device only: it is unknown which report followed which. */
    private static boolean isTheSameAgain(Report earlier, Report later) {
        return !later.request().isAnonymous()
                && later.allocatedAt() == earlier.allocatedAt() + 1
                && later.size() == earlier.size()
                && later.request().details().equals(earlier.request().details());
    }

    private Optional<Evidence> freedElsewhere(BufferGeneration buffer) {
        long last = buffer.lastOpenReportAt().orElse(0);
        if (buffer.request().isAnonymous()) {
            return Optional.empty();
        }
        return strayFreesAt(buffer.address()).stream()
                .filter(stray -> stray.device() != buffer.device()
                        && stray.type() == buffer.type()
                        && stray.event().number() > last)
                .findFirst()
                .map(stray -> Evidence.of(
                        String.format(
                                Locale.ROOT,
                                "a free of this address on device %d found nothing there (event #%d): it may be this buffer's,"
                                        + " reported under another device",
                                stray.device(),
                                stray.event().number()),
                        stray.event().number()));
    }

    /** The free that found nothing came between the previous generation and this one. */
    private Optional<Evidence> freedBefore(BufferGeneration buffer) {
        if (buffer.request().isAnonymous()) {
            return Optional.empty();
        }
        return strayFreesAt(buffer.address()).stream()
                .filter(stray -> stray.device() == buffer.device()
                        && stray.type() == buffer.type()
                        && stray.event().number() < buffer.allocatedAt()
                        && stray.generation().map(BufferGeneration::generation).orElse(0) == buffer.generation() - 1)
                .findFirst()
                .map(stray -> Evidence.of(
                        String.format(
                                Locale.ROOT,
                                "a free of it found nothing (event #%d) before it was reported (event #%d): the free may have"
                                        + " overtaken the report",
                                stray.event().number(),
                                buffer.allocatedAt()),
                        stray.event().number(),
                        buffer.allocatedAt()));
    }

    private List<Anomaly> strayFreesAt(long address) {
        Map<Long, List<Anomaly>> known = strayFrees;
        if (known == null) {
            known = new HashMap<>();
            for (Anomaly anomaly : history.anomalies()) {
                if (anomaly.kind().unbalancesLedger() && anomaly.event() instanceof HistoryEvent.Freed) {
                    known.computeIfAbsent(anomaly.address(), unused -> new ArrayList<>())
                            .add(anomaly);
                }
            }
            strayFrees = known;
        }
        return known.getOrDefault(address, List.of());
    }

    private Optional<Evidence> onTheStack(BufferGeneration buffer) {
        if (buffer.type() != BufferType.L1) {
            return Optional.empty();
        }
        Map<Integer, Map<Long, L1Base>> known = stacks;
        if (known == null) {
            known = new HashMap<>();
            stacks = known;
        }
        L1Base base = known.computeIfAbsent(buffer.device(), this::stackOn).get(buffer.address());
        return Optional.ofNullable(base)
                .map(found -> Evidence.of(
                        String.format(
                                Locale.ROOT,
                                "it lies in a stack of L1 buffers without gaps from %s, where L1 begins on %s. Circular buffers"
                                        + " stack upward from there, and the allocator allocates L1 from the top",
                                Quantities.address(found.address()),
                                found.description()),
                        buffer.allocatedAt()));
    }

    /** Returns the addresses of L1 that follow one another from a known base, with that base. */
    private Map<Long, L1Base> stackOn(int device) {
        List<BufferGeneration> l1 = survivors.stream()
                .filter(buffer -> buffer.device() == device && buffer.type() == BufferType.L1 && isBare(buffer))
                .sorted(Comparator.comparingLong(BufferGeneration::address))
                .toList();
        Map<Long, L1Base> stacked = new HashMap<>();
        for (L1Base base : L1Base.values()) {
            Map<Long, L1Base> reached = new HashMap<>();
            reached.put(base.address(), base);
            for (BufferGeneration buffer : l1) {
                if (reached.containsKey(buffer.address())) {
                    stacked.put(buffer.address(), base);
                    buffer.reports().forEach(report -> reached.put(endOf(buffer.address(), report.size(), base), base));
                }
            }
        }
        return stacked;
    }

    private static long endOf(long address, long size, L1Base base) {
        return (address + size + base.alignment() - 1) / base.alignment() * base.alignment();
    }
}
