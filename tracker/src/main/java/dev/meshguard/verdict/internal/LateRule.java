package dev.meshguard.verdict.internal;

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
import dev.meshguard.verdict.SurvivorStatus;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A buffer that was freed too late: after the close of its allocator had begun, or after the check.
 *
 * <p>The evidence is a report of its free, a release that the runtime ignored because the device was closed, or
 * siblings that one allocator frees with it. If the witness listed it as free in time, only the report was late, and
 * later rules apply.
 *
 * <p>At a close the following are not late: buffers that the runtime frees at a close or later, circular buffers, and
 * binaries of programs that are freed with the cache of a mesh object. Buffers freed by the garbage collector are not
 * late either; otherwise a forced collection would change the verdict.
 */
final class LateRule implements Rule {

    /**
     * An event that freed the memory or released its handle.
     *
     * @param what what happened, as a clause
     * @param call the call that did it, if it is known
     */
    private record Free(long event, String what, Optional<MemoryRequest> call) {

        private Evidence since(String moment, long began) {
            return Evidence.formatted(
                            "%s at event #%d, %s (event #%d)%s",
                            what,
                            event,
                            moment,
                            began,
                            call.flatMap(MemoryRequest::origin)
                                    .map(origin -> ", at " + origin)
                                    .orElse(""))
                    .provedBy(event, began);
        }
    }

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
        return afterClose(survivor).or(() -> afterCheck(survivor)).map(free -> late(free, survivor));
    }

    private static Diagnosis late(Evidence free, SurvivorFacts survivor) {
        return Diagnosis.of(Cause.LATE, SurvivorStatus.FREED_LATE, withWitness(free, survivor));
    }

    private static List<Evidence> withWitness(Evidence decisive, SurvivorFacts survivor) {
        List<Evidence> evidence = new ArrayList<>();
        evidence.add(decisive);
        survivor.snapshotEvidence(Moment.CLOSE_BEGUN).ifPresent(evidence::add);
        return evidence;
    }

    // Buffers in the ledger

    private static Optional<Evidence> afterClose(SurvivorFacts survivor) {
        if (!survivor.remaining().stream().allMatch(report -> isLateAtAClose(report, survivor.history()))) {
            return Optional.empty();
        }
        OptionalLong close = survivor.history().closeOf(survivor.buffer());
        if (close.isEmpty()) {
            return released(survivor, 0)
                    .map(free -> Evidence.of(
                            "its handle was released at event #" + free.event() + ", after the device was closed",
                            free.event()));
        }
        long began = close.getAsLong();
        return released(survivor, began)
                .or(() -> freedTogether(survivor, began))
                .map(free -> free.since(momentOf(survivor, began), began));
    }

    private static Optional<Evidence> afterCheck(SurvivorFacts survivor) {
        Optional<SurvivorFacts> later = survivor.later();
        Optional<HistoryEvent.Checked> check = survivor.history().check();
        if (later.isEmpty() || check.isEmpty()) {
            return Optional.empty();
        }
        long checked = check.get().number();
        OptionalLong close = survivor.history().closeOf(survivor.buffer());
        return freed(later.get(), checked)
                .or(() -> released(later.get(), checked))
                .or(() -> freedTogether(later.get(), checked))
                .map(free -> close.isPresent()
                        ? free.since(momentOf(survivor, close.getAsLong()), close.getAsLong())
                        : free.since("after the check", checked));
    }

    /** One free is enough for all reports of one request. */
    private static Optional<Free> freed(SurvivorFacts later, long check) {
        BufferGeneration generation = later.buffer();
        Optional<Report> last = generation.reports().stream()
                .filter(report -> report.freedAt().orElse(0) > check)
                .max(Comparator.comparingLong(report -> report.freedAt().orElseThrow()));
        boolean endsIt = last.isPresent()
                && !isOfCollectedHandle(last.get())
                && generation.reportsRemaining().stream()
                        .allMatch(remaining ->
                                remaining.request().equals(last.get().request())
                                        && !remaining.request().isAnonymous());
        return last.filter(report -> endsIt).map(report -> freeOf(report, later));
    }

    private static Free freeOf(Report report, SurvivorFacts survivor) {
        return new Free(report.freedAt().orElseThrow(), survivor.vocabulary().freed(), report.release());
    }

    private static Optional<Free> released(SurvivorFacts survivor, long since) {
        return survivor.freeAfterClose()
                .filter(free ->
                        free.number() > since && !free.request().details().handleCollected())
                .map(free -> new Free(free.number(), "its handle was released", Optional.of(free.request())));
    }

    private static Optional<Free> freedTogether(SurvivorFacts survivor, long since) {
        return survivor.siblings().freedWith(survivor).stream()
                .filter(event ->
                        event > since && !isOfCollectedHandle(survivor.history().event(event)))
                .mapToObj(event ->
                        new Free(event, "what one allocator frees together with it was freed", Optional.empty()))
                .findFirst();
    }

    private static boolean isOfCollectedHandle(Optional<HistoryEvent> event) {
        return event.filter(HistoryEvent.Freed.class::isInstance)
                .map(HistoryEvent.Freed.class::cast)
                .filter(HistoryEvent.Freed::isOfCollectedHandle)
                .isPresent();
    }

    // Buffers freed before the check

    /** Only the collector freed it if its last handle was collected: at another time, or never, in another run. */
    private static Optional<Diagnosis> ended(SurvivorFacts ended) {
        return lateReports(ended).stream()
                .max(Comparator.comparingLong(report -> report.freedAt().orElseThrow()))
                .map(last -> {
                    long began = ended.history().closeOf(ended.buffer()).orElseThrow();
                    Free free = isOfCollectedHandle(last) ? collected(last) : freeOf(last, ended);
                    Evidence evidence = free.since(momentOf(ended, began), began);
                    return isOfCollectedHandle(last)
                            ? Diagnosis.of(Cause.LOST, SurvivorStatus.LEAKED, withWitness(evidence, ended))
                            : late(evidence, ended);
                });
    }

    private static Free collected(Report report) {
        return new Free(report.freedAt().orElseThrow(), "no call freed it: its handle was collected", Optional.empty());
    }

    /**
     * Returns the reports of an ended generation that were freed too late; none if the memory was freed before the close
     * of its allocator began.
     */
    static List<Report> lateReports(SurvivorFacts ended) {
        BufferGeneration generation = ended.buffer();
        OptionalLong close = ended.history().closeOf(generation);
        if (close.isEmpty() || generation.freedAt().orElse(0) < close.getAsLong()) {
            return List.of();
        }
        long began = close.getAsLong();
        List<Report> held = generation.reports().stream()
                .filter(report ->
                        report.allocatedAt() < began && report.freedAt().orElseThrow() > began)
                .toList();
        List<Report> late = held.stream()
                .filter(report -> isLateAtAClose(report, ended.history()))
                .toList();
        AddressState state = ended.addressState(Moment.CLOSE_BEGUN);
        boolean isKnown = state == AddressState.ALLOCATED
                || (state == AddressState.UNKNOWN
                        && late.size() == held.size()
                        && late.stream().noneMatch(report -> wasFreedBefore(report, began, generation)));
        return isKnown ? late : List.of();
    }

    /** One free frees what one request reported several times; later ones correct only the ledger. */
    private static boolean wasFreedBefore(Report late, long close, BufferGeneration generation) {
        return !late.request().isAnonymous()
                && generation.reports().stream()
                        .anyMatch(report -> report.request().equals(late.request())
                                && report.freedAt().orElse(close) < close);
    }

    private static boolean isOfCollectedHandle(Report report) {
        return report.release()
                .filter(release -> release.details().handleCollected())
                .isPresent();
    }

    /** The runtime may free its own buffers at the close, and cached programs with the mesh object. */
    private static boolean isLateAtAClose(Report report, AllocationHistory history) {
        return report.request().details().kind() == BufferKind.BUFFER
                && report.request().details().lifetime() == BufferLifetime.USER
                && report.request()
                        .details()
                        .owner()
                        .flatMap(history::cachingOf)
                        .isEmpty();
    }

    /** Returns when the close began, as a clause. It names the mesh where several share a device, because their closes differ. */
    private static String momentOf(SurvivorFacts survivor, long event) {
        if (!survivor.history().meshesSharedADevice()) {
            return "after close began";
        }
        HistoryEvent began = survivor.history().event(event).orElseThrow();
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
