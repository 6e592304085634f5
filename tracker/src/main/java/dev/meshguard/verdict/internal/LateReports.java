package dev.meshguard.verdict.internal;

import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.event.Owner;
import dev.meshguard.event.Quantities;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.Diagnosis;
import dev.meshguard.verdict.Evidence;
import dev.meshguard.verdict.InconclusiveReason;
import dev.meshguard.verdict.SurvivorStatus;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Finds allocations that were reported after their mesh had closed or their program had ended.
 *
 * <p>The last mesh over the device was closing or closed, or the program had ended. Such a report was delayed. The free
 * may have overtaken it and found nothing to free, and an earlier snapshot of a witness proves nothing. So the state of
 * the memory is unknown.
 */
final class LateReports {

    /** An event after which the reported allocation cannot have happened. */
    private record Over(String what, long event) {}

    private static final LateReports NONE = new LateReports();

    private final Map<Long, Over> late = new HashMap<>();

    private final Map<Integer, MeshDescription> inUse = new HashMap<>();
    private final Map<Integer, Over> devices = new HashMap<>();
    private final Map<Integer, Long> devicesOpened = new HashMap<>();
    private final Map<Owner, Over> owners = new HashMap<>();

    LateReports(AllocationHistory history) {
        if (!history.meshes().isEmpty()
                || !history.events(HistoryEvent.OwnerEnded.class).isEmpty()) {
            history.events().forEach(this::apply);
        }
    }

    /** Returns an instance for a history without survivors, which is never asked. */
    static LateReports none() {
        return NONE;
    }

    private LateReports() {}

    /** Returns the diagnosis of a buffer that survived because of such a report. */
    Optional<Diagnosis> diagnose(BufferGeneration buffer) {
        return lateReportOf(buffer).map(report -> {
            Over over = late.getOrDefault(report, new Over("", 0));
            String words = String.format(
                    Locale.ROOT,
                    "it was reported after %s (event #%d), so the report is late",
                    over.what(),
                    over.event());
            return Diagnosis.of(Cause.UNEXPLAINED, SurvivorStatus.UNDECIDED, Evidence.of(words, over.event(), report));
        });
    }

    /** Returns the reason for an inconclusive verdict if some survivors have such reports. */
    Optional<InconclusiveReason> inconclusiveReason(List<BufferGeneration> remaining) {
        if (remaining.isEmpty()) {
            return Optional.empty();
        }
        List<BufferGeneration> doubtful = remaining.stream()
                .filter(buffer -> lateReportOf(buffer).isPresent())
                .toList();
        if (doubtful.isEmpty()) {
            return Optional.empty();
        }
        BufferGeneration first = doubtful.get(0);
        long report = lateReportOf(first).orElseThrow();
        String words = String.format(
                Locale.ROOT,
                "%s reported too late to be true, the first (%s %s, event #%d) after %s,"
                        + " so what became of the memory is not known.",
                doubtful.size() == 1 ? "1 buffer was" : doubtful.size() + " buffers were",
                first.type(),
                Quantities.place(first.device(), first.address()),
                report,
                late.getOrDefault(report, new Over("", 0)).what());
        return Optional.of(InconclusiveReason.of(InconclusiveReason.Kind.REPORTED_TOO_LATE, words, report));
    }

    private Optional<Long> lateReportOf(BufferGeneration buffer) {
        if (late.isEmpty()) {
            return Optional.empty();
        }
        return buffer.reportsRemaining().stream()
                .map(BufferGeneration.Report::allocatedAt)
                .filter(late::containsKey)
                .findFirst();
    }

    private void apply(HistoryEvent event) {
        if (event instanceof HistoryEvent.MeshOpened opened) {
            inUse.put(opened.mesh().id(), opened.mesh());
            opened.mesh().devices().forEach(devices::remove);
        } else if (event instanceof HistoryEvent.DeviceOpened opened) {
            devices.remove(opened.device());
            devicesOpened.put(opened.device(), event.number());
        } else if (event instanceof HistoryEvent.MeshClosing closing) {
            end(closing.mesh(), event.number());
        } else if (event instanceof HistoryEvent.MeshClosed closed) {
            end(closed.mesh(), event.number());
        } else if (event instanceof HistoryEvent.OwnerEnded ended) {
            owners.put(ended.owner(), new Over(ended.owner() + " ended", event.number()));
        } else if (event instanceof HistoryEvent.Allocated report) {
            over(report).ifPresent(over -> late.put(event.number(), over));
        }
    }

    private void end(int mesh, long event) {
        MeshDescription ended = inUse.remove(mesh);
        if (ended == null) {
            return;
        }
        for (int device : ended.devices()) {
            if (inUse.values().stream().noneMatch(other -> other.devices().contains(device))) {
                devices.put(device, new Over("the last mesh over the device began to close", event));
            }
        }
    }

    /** The same name after the device was opened again belongs to another program. */
    private Optional<Over> over(HistoryEvent.Allocated report) {
        if (report.request().details().mesh().stream().anyMatch(inUse::containsKey)) {
            return Optional.empty();
        }
        return Optional.ofNullable(devices.get(report.device()))
                .or(() -> report.request()
                        .details()
                        .owner()
                        .map(owners::get)
                        .filter(ended -> ended.event() > devicesOpened.getOrDefault(report.device(), 0L)));
    }
}
