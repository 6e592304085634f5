package dev.meshguard.server;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The reported circular buffers, or kernels, which the server counts separately from buffers and as sums.
 *
 * <p>Every added report is kept until it is removed, and nothing else. So a sum cannot fall below zero. Guarded by the server's lock.
 */
final class RunningTotals {

    private record Key(int device, long id) {}

    private record Report(long size, long process) {}

    private final Map<Key, List<Report>> reports = new HashMap<>();
    private final Map<Integer, Long> bytes = new HashMap<>();
    private final ProcessCounts counts = new ProcessCounts();

    /** Adds a report. */
    void added(int device, long id, long size, long process) {
        reports.computeIfAbsent(new Key(device, id), unused -> new ArrayList<>(1))
                .add(new Report(size, process));
        bytes.merge(device, size, Long::sum);
        counts.add(process, 1);
    }

    /** Removes a report, if there is one: the latest one of this size, or else the latest. */
    void removed(int device, long id, long size) {
        Key key = new Key(device, id);
        List<Report> ofId = reports.get(key);
        if (ofId == null) {
            return;
        }
        int index = ofId.size() - 1;
        while (index >= 0 && ofId.get(index).size() != size) {
            index--;
        }
        Report gone = ofId.remove(index < 0 ? ofId.size() - 1 : index);
        if (ofId.isEmpty()) {
            reports.remove(key);
        }
        bytes.merge(device, -gone.size(), Long::sum);
        counts.add(gone.process(), -1);
    }

    /** Removes the reports of processes that have ended. */
    void ended(Set<Long> processes) {
        boolean hasAny = counts.hasAny(processes);
        counts.forget(processes);
        if (!hasAny) {
            return;
        }
        reports.forEach((key, ofId) -> ofId.removeIf(report -> {
            boolean isOfEnded = processes.contains(report.process());
            if (isOfEnded) {
                bytes.merge(key.device(), -report.size(), Long::sum);
            }
            return isOfEnded;
        }));
        reports.values().removeIf(List::isEmpty);
    }

    /** Returns the sum of a device. */
    long bytes(int device) {
        return bytes.getOrDefault(device, 0L);
    }
}
