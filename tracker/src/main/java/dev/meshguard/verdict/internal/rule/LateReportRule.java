package dev.meshguard.verdict.internal.rule;

import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.event.Owner;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.BufferGeneration.Report;
import dev.meshguard.text.InvariantText;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.Diagnosis;
import dev.meshguard.verdict.Evidence;
import dev.meshguard.verdict.InconclusiveReason;
import dev.meshguard.verdict.internal.survivor.SurvivorFacts;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Leaves the cause open for a buffer whose allocation was reported after its mesh had closed or its program had ended.
 *
 * <p>The last mesh over the device was closing or closed, or the program had ended. Such a report was delayed. The free
 * may have overtaken it and found nothing to free, and an earlier snapshot of a witness proves nothing. So the state of
 * the memory is unknown.
 */
public final class LateReportRule implements Rule {

    /** By the number of a late report: the event after which the reported allocation cannot have happened. */
    private final Map<Long, HistoryEvent> late = new HashMap<>();

    private final Map<Integer, MeshDescription> inUse = new HashMap<>();
    private final Map<Integer, HistoryEvent> devicesClosing = new HashMap<>();
    private final Map<Integer, Long> devicesOpened = new HashMap<>();
    private final Map<Owner, HistoryEvent> ownersEnded = new HashMap<>();

    public LateReportRule(AllocationHistory history) {
        if (!history.meshes().isEmpty()
                || !history.events(HistoryEvent.OwnerEnded.class).isEmpty()) {
            history.events().forEach(this::apply);
        }
    }

    @Override
    public Optional<Diagnosis> examine(SurvivorFacts survivor) {
        for (Report report : survivor.buffer().reportsRemaining()) {
            HistoryEvent end = late.get(report.allocatedAt());
            if (end != null) {
                return Optional.of(undecided(report.allocatedAt(), end));
            }
        }
        return Optional.empty();
    }

    private static Diagnosis undecided(long report, HistoryEvent end) {
        String words = InvariantText.of(
                "it was reported after %s (event #%d), so the report is late", description(end), end.number());
        return Diagnosis.undecided(
                Cause.UNEXPLAINED, InconclusiveReason.Kind.REPORTED_TOO_LATE, Evidence.of(words, end.number(), report));
    }

    /** Returns what had happened before a late report, as a clause. */
    public static String description(HistoryEvent end) {
        return end instanceof HistoryEvent.OwnerEnded ended
                ? ended.owner() + " ended"
                : "the last mesh over the device began to close";
    }

    private void apply(HistoryEvent event) {
        if (event instanceof HistoryEvent.MeshOpened opened) {
            inUse.put(opened.mesh().id(), opened.mesh());
            opened.mesh().devices().forEach(devicesClosing::remove);
        } else if (event instanceof HistoryEvent.DeviceOpened opened) {
            devicesClosing.remove(opened.device());
            devicesOpened.put(opened.device(), event.number());
        } else if (event instanceof HistoryEvent.MeshClosing closing) {
            end(closing.mesh(), event);
        } else if (event instanceof HistoryEvent.MeshClosed closed) {
            end(closed.mesh(), event);
        } else if (event instanceof HistoryEvent.OwnerEnded ended) {
            ownersEnded.put(ended.owner(), ended);
        } else if (event instanceof HistoryEvent.Allocated report
                && !(devicesClosing.isEmpty() && ownersEnded.isEmpty())) {
            endBefore(report).ifPresent(end -> late.put(event.number(), end));
        }
    }

    private void end(int mesh, HistoryEvent event) {
        MeshDescription ended = inUse.remove(mesh);
        if (ended == null) {
            return;
        }
        for (int device : ended.devices()) {
            if (inUse.values().stream().noneMatch(other -> other.devices().contains(device))) {
                devicesClosing.put(device, event);
            }
        }
    }

    /** The same name after the device was opened again belongs to another program. */
    private Optional<HistoryEvent> endBefore(HistoryEvent.Allocated report) {
        if (report.details().mesh().stream().anyMatch(inUse::containsKey)) {
            return Optional.empty();
        }
        return Optional.ofNullable(devicesClosing.get(report.device()))
                .or(() -> report.details()
                        .owner()
                        .map(ownersEnded::get)
                        .filter(ended -> ended.number() > devicesOpened.getOrDefault(report.device(), 0L)));
    }
}
