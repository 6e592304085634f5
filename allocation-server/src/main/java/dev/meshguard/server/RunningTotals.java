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

    /** The reports that were removed with a process. */
    record Removed(long count, long bytes) {}

    private record Key(int device, long id) {}

    private record Report(long size, long process) {}

    private final Map<Key, List<Report>> reports = new HashMap<>();
    private final Map<Integer, Long> bytes = new HashMap<>();
    private final ProcessCounts counts = new ProcessCounts();

    /** Adds a report; returns its bytes. */
    long added(int device, long id, long size, long process) {
        reports.computeIfAbsent(new Key(device, id), unused -> new ArrayList<>(1))
                .add(new Report(size, process));
        bytes.merge(device, size, Long::sum);
        counts.add(process, 1);
        return size;
    }

    /** Returns whether a report with this id exists. */
    boolean isKnown(int device, long id) {
        return reports.containsKey(new Key(device, id));
    }

    /** Removes a report: the latest one of this size, or else the latest. Returns its bytes; 0 if there is none. */
    long removed(int device, long id, long size) {
        Key key = new Key(device, id);
        List<Report> ofId = reports.get(key);
        if (ofId == null) {
            return 0;
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
        return gone.size();
    }

    /** Removes the reports of processes that have ended; returns what each of them had, if it had any. */
    Map<Long, Removed> ended(Set<Long> processes) {
        boolean hasAny = counts.hasAny(processes);
        counts.forget(processes);
        if (!hasAny) {
            return Map.of();
        }
        Map<Long, Removed> removed = new HashMap<>();
        reports.forEach((key, ofId) -> ofId.removeIf(report -> {
            boolean isOfEnded = processes.contains(report.process());
            if (isOfEnded) {
                bytes.merge(key.device(), -report.size(), Long::sum);
                removed.merge(
                        report.process(),
                        new Removed(1, report.size()),
                        (all, one) -> new Removed(all.count() + 1, all.bytes() + one.bytes()));
            }
            return isOfEnded;
        }));
        reports.values().removeIf(List::isEmpty);
        return removed;
    }

    /** Returns the sum of a device. */
    long bytes(int device) {
        return bytes.getOrDefault(device, 0L);
    }
}
