package dev.meshguard.verdict.internal;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.WitnessSnapshot.AddressState;
import dev.meshguard.event.WitnessSnapshot.Moment;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.Anomaly;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.Diagnosis;
import dev.meshguard.verdict.Evidence;
import dev.meshguard.verdict.InconclusiveReason;
import dev.meshguard.verdict.Survivor;
import dev.meshguard.verdict.SurvivorStatus;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The reasons for an inconclusive verdict that come from a source with missing reports.
 *
 * <p>An unreported free and a free that never happened look the same in the ledger. If a witness covers a buffer, its
 * state is known nevertheless. If none does, the buffer is undecided.
 */
final class InconclusiveReasons {

    /** Causes that do not depend on a missing free. */
    private static final Set<Cause> SURE = EnumSet.of(Cause.PROCESS_DIED, Cause.CACHED);

    private final AllocationHistory history;
    /** The number of the event at which tracking started last, or 0. Looked up once: each survivor asks for it. */
    private final long lastStart;
    /** Found while the survivors are judged. */
    private final List<BufferGeneration> outOfOrder = new ArrayList<>();
    /** The gap in which a buffer may have been freed, if no witness speaks for it; found while the survivors are judged. */
    private final Map<BufferGeneration, HistoryEvent.TrackingStopped> hidden = new HashMap<>();

    InconclusiveReasons(AllocationHistory history) {
        this.history = history;
        this.lastStart = history.events(HistoryEvent.TrackingStarted.class).stream()
                .mapToLong(HistoryEvent::number)
                .max()
                .orElse(0);
    }

    /** Returns the reasons, except lost reports, after all survivors were judged. */
    List<InconclusiveReason> found(List<Survivor> survivors) {
        List<InconclusiveReason> reasons = new ArrayList<>();
        if (!history.hasSource()) {
            reasons.add(InconclusiveReason.of(
                    InconclusiveReason.Kind.NOTHING_ATTACHED,
                    "Nothing was ever connected to the tracker: no mesh, no device and no buffer was reported to it. Report to"
                            + " it, or call sourceAttached(…) if a source is connected that has nothing to report."));
        }
        if (!outOfOrder.isEmpty()) {
            BufferGeneration first = outOfOrder.get(0);
            reasons.add(InconclusiveReason.of(
                    InconclusiveReason.Kind.OUT_OF_ORDER,
                    String.format(
                            Locale.ROOT,
                            "%s freed before %s reported, the first %s, so reports are out of order and what became of the"
                                    + " memory is not known.",
                            outOfOrder.size() == 1 ? "1 buffer was" : outOfOrder.size() + " buffers were",
                            outOfOrder.size() == 1 ? "it was" : "they were",
                            first),
                    first.allocatedAt()));
        }
        if (history.gaps().isEmpty()) {
            return reasons;
        }
        gapThatMatters(survivors)
                .map(gap -> InconclusiveReason.of(InconclusiveReason.Kind.TRACKING_OFF, description(gap), gap.number()))
                .ifPresent(reasons::add);
        return reasons;
    }

    /** Returns the diagnosis, or an undecided one if the free may have been lost and no witness covers the buffer. */
    Diagnosis weighed(Diagnosis diagnosis, SurvivorContext survivor) {
        Optional<Evidence> overtaken =
                diagnosis.status() == SurvivorStatus.LEAKED ? overtakenBy(survivor) : Optional.empty();
        if (overtaken.isPresent()) {
            outOfOrder.add(survivor.buffer());
            return undecided(diagnosis, overtaken.get());
        }
        if (diagnosis.status() != SurvivorStatus.LEAKED
                || SURE.contains(diagnosis.cause())
                || survivor.addressState(survivor.checkMoment()) != AddressState.UNKNOWN) {
            return diagnosis;
        }
        return whyUnheard(survivor.buffer())
                .map(reason -> undecided(diagnosis, reason))
                .orElse(diagnosis);
    }

    private static Diagnosis undecided(Diagnosis diagnosis, Evidence reason) {
        List<Evidence> evidence = new ArrayList<>(diagnosis.evidence());
        evidence.add(1, reason);
        return new Diagnosis(diagnosis.cause(), SurvivorStatus.UNDECIDED, evidence);
    }

    /**
     * Returns a free that preceded the report of its own allocation. The free found nothing, or only a buffer of
     * another owner, and has the same mesh and extent.
     */
    static Optional<Evidence> overtakenBy(SurvivorContext survivor) {
        MemoryAddress address = MemoryAddress.of(survivor.buffer());
        for (BufferGeneration.Report remaining : survivor.buffer().reportsRemaining()) {
            for (Anomaly stray : survivor.siblings().strayFreesAt(address)) {
                HistoryEvent.Freed free = (HistoryEvent.Freed) stray.event();
                if (free.number() < remaining.allocatedAt() && isOf(free.request(), free.ownership(), remaining)) {
                    return Optional.of(overtaken(free.number(), remaining));
                }
            }
            for (BufferGeneration.Report other : survivor.siblings().freedByOthersAt(address)) {
                long free = other.freedAt().orElseThrow();
                if (free < remaining.allocatedAt()
                        && isOf(other.release().orElseThrow(), other.ownership(), remaining)) {
                    return Optional.of(overtaken(free, remaining));
                }
            }
        }
        return Optional.empty();
    }

    private static Evidence overtaken(long free, BufferGeneration.Report remaining) {
        return Evidence.of(
                String.format(
                        Locale.ROOT,
                        "a free that fits it came at event #%d, before it was reported (event #%d)",
                        free,
                        remaining.allocatedAt()),
                free,
                remaining.allocatedAt());
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

    private Optional<Evidence> whyUnheard(BufferGeneration buffer) {
        for (HistoryEvent.TrackingStopped gap : history.gaps()) {
            if (gap.number() > buffer.allocatedAt()) {
                hidden.put(buffer, gap);
                String what = goesOnAfter(gap) ? "tracking was off later on" : "tracking ended later on";
                return Optional.of(maybe(what, gap.number()));
            }
        }
        for (HistoryEvent.ReportsLost lost : history.lostReports()) {
            if (lost.number() > buffer.allocatedAt()) {
                return Optional.of(maybe("reports got lost later on", lost.number()));
            }
        }
        return Optional.empty();
    }

    private static Evidence maybe(String why, long event) {
        return Evidence.of(
                String.format(
                        Locale.ROOT,
                        "%s (event #%d), so it may have been freed, and no witness speaks for it",
                        why,
                        event),
                event);
    }

    /** Returns the first relevant gap; a mesh that was closed without survivors before a gap is not affected by it. */
    private Optional<HistoryEvent.TrackingStopped> gapThatMatters(List<Survivor> survivors) {
        Set<HistoryEvent.TrackingStopped> decisive = new HashSet<>();
        for (Survivor survivor : survivors) {
            if (survivor.status() == SurvivorStatus.UNDECIDED && hidden.containsKey(survivor.buffer())) {
                decisive.add(hidden.get(survivor.buffer()));
            }
        }
        return history.gaps().stream()
                .filter(gap -> decisive.contains(gap) || matters(gap))
                .findFirst();
    }

    private boolean matters(HistoryEvent.TrackingStopped gap) {
        boolean leftSomething = history.liveAt(gap).stream().anyMatch(buffer -> !isWitnessed(buffer));
        return (goesOnAfter(gap) || leftSomething || receivedNothing()) && !isWitnessed(gap);
    }

    /** Returns whether closes after a gap were witnessed, on each device on which it may hide something. */
    private boolean isWitnessed(HistoryEvent.TrackingStopped gap) {
        Set<Integer> witnessed = new HashSet<>();
        for (HistoryEvent.Witnessed reading : history.witnessSnapshots()) {
            if (reading.number() > gap.number() && reading.snapshot().moment() == Moment.CLOSE_BEGUN) {
                witnessed.addAll(reading.snapshot().devices());
            }
        }
        return !witnessed.isEmpty() && witnessed.containsAll(devicesAfter(gap));
    }

    /** Returns the devices that had memory at a gap, or reported any or belonged to an open mesh after it. */
    private Set<Integer> devicesAfter(HistoryEvent.TrackingStopped gap) {
        Set<Integer> devices = new HashSet<>();
        for (BufferGeneration buffer : history.generations()) {
            // No witness covers memory without a device; what is live of it is undecided.
            if (buffer.hasDevice() && buffer.freedAt().orElse(Long.MAX_VALUE) > gap.number()) {
                devices.add(buffer.device());
            }
        }
        history.meshesOpenSince(gap.number()).forEach(mesh -> devices.addAll(mesh.devices()));
        return devices;
    }

    private boolean goesOnAfter(HistoryEvent.TrackingStopped gap) {
        return lastStart > gap.number();
    }

    private boolean receivedNothing() {
        return history.devices().stream()
                .allMatch(device -> Stream.of(BufferType.values())
                        .allMatch(type -> history.totals(device, type).totalBuffers() == 0));
    }

    private boolean isWitnessed(BufferGeneration buffer) {
        return history.snapshotFor(buffer, Moment.CLOSE_BEGUN).isPresent();
    }

    private String description(HistoryEvent.TrackingStopped gap) {
        long waiting = history.live().stream()
                .filter(buffer -> buffer.allocatedAt() < gap.number())
                .count();
        if (!goesOnAfter(gap)) {
            return String.format(
                    Locale.ROOT,
                    "Tracking ended at event #%d (%s), so it is not known %s.",
                    gap.number(),
                    gap.reason(),
                    waiting == 0
                            ? "what was allocated later"
                            : "whether " + history.vocabulary().count(waiting) + (waiting == 1 ? " was" : " were")
                                    + " freed later");
        }
        return String.format(
                Locale.ROOT,
                "Tracking was off from event #%d on (%s), so what was allocated and freed meanwhile is not known%s.",
                gap.number(),
                gap.reason(),
                waiting == 0
                        ? ""
                        : ", nor what became of " + history.vocabulary().count(waiting) + " from before");
    }
}
