package dev.meshguard.verdict.internal.rule;

import dev.meshguard.event.BufferKind;
import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.WitnessSnapshot.AddressState;
import dev.meshguard.event.WitnessSnapshot.Moment;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.history.BufferGeneration.Report;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.Diagnosis;
import dev.meshguard.verdict.Evidence;
import dev.meshguard.verdict.InconclusiveReason;
import dev.meshguard.verdict.SurvivorStatus;
import dev.meshguard.verdict.internal.survivor.SurvivorFacts;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Gives the cause {@code LATE} to a buffer that was freed, but too late: after the close of its allocator had begun, or
 * after the check.
 *
 * <p>The evidence is a report of its free, a release that the runtime ignored because the device was closed, or
 * siblings that one allocator frees with it. If the witness listed it as free in time, only the report was late, and
 * later rules apply.
 *
 * <p>At a close the following are not late: buffers that the runtime frees at a close or later, circular buffers, and
 * binaries of programs that are freed with the cache of a mesh object. Buffers freed by the garbage collector are not
 * late either; otherwise a forced collection would change the verdict.
 */
public final class LateRule implements Rule {

    private static final Comparator<Report> BY_FREE =
            Comparator.comparingLong(report -> report.freedAt().orElseThrow());

    /**
     * An event that freed the memory or released its handle.
     *
     * @param what what happened, as a clause
     * @param call the call that did it, if it is known
     */
    private record Free(long event, String what, Optional<MemoryRequest> call) {}

    @Override
    public Optional<Diagnosis> examine(SurvivorFacts survivor) {
        if (!survivor.buffer().isLive()) {
            return ended(survivor);
        }
        if (survivor.freesAreInferred()
                || survivor.isProvedFree()
                || survivor.allRemaining(details -> details.lifetime() == BufferLifetime.PERSISTENT)) {
            return Optional.empty();
        }
        return afterClose(survivor)
                .or(() -> afterCheck(survivor))
                .map(free -> diagnosis(Cause.LATE, SurvivorStatus.FREED_LATE, free, survivor));
    }

    private static Diagnosis diagnosis(Cause cause, SurvivorStatus status, Evidence free, SurvivorFacts survivor) {
        OptionalLong again = survivor.buffer().reservedAgainAt();
        return (again.isPresent()
                        ? Diagnosis.undecided(cause, InconclusiveReason.Kind.OUT_OF_ORDER, free)
                                .and(List.of(Evidence.formatted(
                                        "its allocator reserved the address again at event #%d, so that free may be of the later buffer",
                                        again.getAsLong())))
                        : Diagnosis.of(cause, status, free))
                .and(survivor.snapshotEvidence(Moment.CLOSE_BEGUN));
    }

    private static Evidence evidence(Free free, SurvivorFacts survivor) {
        AllocationHistory history = survivor.history();
        long since = history.closeOf(survivor.buffer())
                .orElseGet(() -> history.check().orElseThrow().number());
        return Evidence.formatted(
                "%s at event #%d, %s (event #%d)%s",
                free.what(),
                free.event(),
                momentOf(survivor, since),
                since,
                free.call()
                        .flatMap(MemoryRequest::origin)
                        .map(origin -> ", at " + origin)
                        .orElse(""));
    }

    // Buffers in the ledger

    private static Optional<Evidence> afterClose(SurvivorFacts survivor) {
        if (!survivor.remaining().stream().allMatch(report -> isLateAtAClose(report, survivor.history()))) {
            return Optional.empty();
        }
        OptionalLong close = survivor.history().closeOf(survivor.buffer());
        if (close.isEmpty()) {
            return released(survivor, 0)
                    .map(free -> Evidence.formatted(
                            "its handle was released at event #%d, after the device was closed", free.event()));
        }
        return released(survivor, close.getAsLong())
                .or(() -> freedTogether(survivor, close.getAsLong()))
                .map(free -> evidence(free, survivor));
    }

    private static Optional<Evidence> afterCheck(SurvivorFacts survivor) {
        long check = survivor.history().check().map(HistoryEvent::number).orElse(Long.MAX_VALUE);
        return survivor.later()
                .flatMap(later ->
                        freed(later, check).or(() -> released(later, check)).or(() -> freedTogether(later, check)))
                .map(free -> evidence(free, survivor));
    }

    /** One free is enough for all reports of one request. */
    private static Optional<Free> freed(SurvivorFacts later, long check) {
        return later.buffer().reports().stream()
                .filter(report -> report.freedAt().orElse(0) > check)
                .max(BY_FREE)
                .filter(last -> !last.isCollected()
                        && later.buffer().reportsRemaining().stream().allMatch(last::isOfOneRequestWith))
                .map(last -> freeOf(last, later));
    }

    private static Free freeOf(Report report, SurvivorFacts survivor) {
        long event = report.freedAt().orElseThrow();
        return report.isCollected()
                ? new Free(event, "no call freed it: its handle was collected", Optional.empty())
                : new Free(event, survivor.vocabulary().freed(), report.release());
    }

    private static Optional<Free> released(SurvivorFacts survivor, long since) {
        return survivor.freeAfterClose()
                .filter(free -> free.number() > since && !free.details().handleCollected())
                .map(free -> new Free(free.number(), "its handle was released", Optional.of(free.request())));
    }

    private static Optional<Free> freedTogether(SurvivorFacts survivor, long since) {
        return survivor.siblings().freedWith(survivor).stream()
                .filter(freed -> freed > since)
                .mapToObj(freed -> survivor.history().event(freed).orElseThrow())
                .filter(event -> !(event instanceof HistoryEvent.Freed free
                        && free.details().handleCollected()))
                .map(event -> new Free(
                        event.number(), "what one allocator frees together with it was freed", Optional.empty()))
                .findFirst();
    }

    // Buffers freed before the check

    /** Only the collector freed it if its last handle was collected: at another time, or never, in another run. */
    private static Optional<Diagnosis> ended(SurvivorFacts ended) {
        return lateReports(ended).stream().max(BY_FREE).map(last -> {
            Evidence free = evidence(freeOf(last, ended), ended);
            return last.isCollected()
                    ? diagnosis(Cause.LOST, SurvivorStatus.LEAKED, free, ended)
                    : diagnosis(Cause.LATE, SurvivorStatus.FREED_LATE, free, ended);
        });
    }

    /**
     * Returns the reports of an ended generation that were freed too late; none if the memory was freed before the close
     * of its allocator began.
     */
    public static List<Report> lateReports(SurvivorFacts ended) {
        BufferGeneration generation = ended.buffer();
        OptionalLong close = ended.history().closeOf(generation);
        if (close.isEmpty() || generation.freedAt().orElse(0) < close.getAsLong()) {
            return List.of();
        }
        long began = close.getAsLong();
        List<Report> held = generation.reports().stream()
                .filter(report -> report.wasOpenAt(began))
                .toList();
        List<Report> late = held.stream()
                .filter(report -> isLateAtAClose(report, ended.history()))
                .toList();
        AddressState state = ended.isListedAlone(Moment.CLOSE_BEGUN)
                ? AddressState.ALLOCATED
                : ended.addressState(Moment.CLOSE_BEGUN);
        boolean isKnown = state == AddressState.ALLOCATED
                || (state == AddressState.UNKNOWN
                        && late.size() == held.size()
                        && late.stream().noneMatch(report -> wasFreedBefore(report, began, generation)));
        return isKnown ? late : List.of();
    }

    /** One free frees what one request reported several times; later ones correct only the ledger. */
    private static boolean wasFreedBefore(Report late, long close, BufferGeneration generation) {
        return generation.reports().stream()
                .anyMatch(report ->
                        report.isOfOneRequestWith(late) && report.freedAt().orElse(close) < close);
    }

    /** The runtime may free its own buffers at the close, and cached programs with the mesh object. */
    private static boolean isLateAtAClose(Report report, AllocationHistory history) {
        return report.details().kind() == BufferKind.BUFFER
                && report.details().lifetime() == BufferLifetime.USER
                && report.details().owner().flatMap(history::cachingOf).isEmpty();
    }

    /**
     * Returns the check or when the close began, as a clause. It names the mesh where several share a device, because their closes
     * differ.
     */
    private static String momentOf(SurvivorFacts survivor, long event) {
        HistoryEvent began = survivor.history().event(event).orElseThrow();
        if (began instanceof HistoryEvent.Checked) {
            return "after the check";
        }
        if (!survivor.history().meshesSharedADevice()) {
            return "after close began";
        }
        if (began instanceof HistoryEvent.MeshClosing closing) {
            return "after the close of mesh " + closing.mesh() + " began";
        }
        if (began instanceof HistoryEvent.Witnessed witnessed) {
            return "after the close of mesh " + witnessed.snapshot().mesh() + " began";
        }
        return began instanceof HistoryEvent.MeshClosed closed
                ? "after mesh " + closed.mesh() + " was closed"
                : "after device " + survivor.buffer().device() + " was closed";
    }
}
