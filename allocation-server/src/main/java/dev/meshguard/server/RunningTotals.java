package dev.meshguard.server;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

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
    private final Map<Long, Long> ofProcesses = new HashMap<>();

    void added(int device, long id, long size, long process) {
        reports.computeIfAbsent(new Key(device, id), unused -> new ArrayList<>(1))
                .add(new Report(size, process));
        count(device, size, process, 1);
    }

    private void count(int device, long size, long process, long change) {
        bytes.merge(device, change * size, Long::sum);
        ofProcesses.merge(process, change, (count, more) -> count + more == 0 ? null : count + more);
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
        count(device, gone.size(), gone.process(), -1);
        return gone.size();
    }

    /** Removes the reports of a process that has ended. */
    Removed ended(long process) {
        long before = ofProcesses.getOrDefault(process, 0L);
        long removed = 0;
        if (before > 0) {
            for (Map.Entry<Key, List<Report>> ofId : reports.entrySet()) {
                for (Report report : ofId.getValue()) {
                    if (report.process() == process) {
                        count(ofId.getKey().device(), report.size(), process, -1);
                        removed += report.size();
                    }
                }
                ofId.getValue().removeIf(report -> report.process() == process);
            }
            reports.values().removeIf(List::isEmpty);
        }
        return new Removed(before, removed);
    }

    /** Returns whether a process has any report. */
    boolean hasAnyOf(long process) {
        return ofProcesses.containsKey(process);
    }

    /** Returns the sum of a device. */
    long bytes(int device) {
        return bytes.getOrDefault(device, 0L);
    }
}
