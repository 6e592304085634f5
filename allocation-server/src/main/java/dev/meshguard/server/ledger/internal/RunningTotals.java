package dev.meshguard.server.ledger.internal;

import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The reported circular buffers, or kernels, which the server counts separately from buffers and as sums.
 *
 * <p>The old server adds every report and, for circular buffers, subtracts every free, known or not, so that a sum can
 * fall below zero. This class keeps every added report until it is removed, and nothing else.
 */
public final class RunningTotals {

    /** The number of reports of one id that are searched for a matching size; else the latest matches. */
    private static final int MAX_SEARCHED = 1024;

    private static final Comparator<Entry> BY_ADDRESS =
            Comparator.comparingInt(Entry::device).thenComparing(Entry::id, Long::compareUnsigned);

    /** One report. */
    public static final class Entry extends Node {
        private final int device;
        private final long id;
        private final long size;
        private final int kind;
        private final long process;
        private final long reportedAt;

        // The previous report of the same device and id.
        private @Nullable Entry earlier;
        private @Nullable Entry later;

        /** Creates a report. */
        public Entry(int device, long id, long size, int kind, long process, long reportedAt) {
            this.device = device;
            this.id = id;
            this.size = size;
            this.kind = kind;
            this.process = process;
            this.reportedAt = reportedAt;
        }

        /** Returns the device. */
        public int device() {
            return device;
        }

        /** Returns the address or the number of the kernel. */
        public long id() {
            return id;
        }

        /** Returns the bytes. */
        public long size() {
            return size;
        }

        /** Returns the kind of kernel. */
        public int kind() {
            return kind;
        }

        /** Returns the process that reported it. */
        public long process() {
            return process;
        }

        /** Returns the time of its report, in seconds. */
        public long reportedAt() {
            return reportedAt;
        }
    }

    private record Key(int device, long id) {}

    /** The latest report of each device and id. */
    private final Map<Key, Entry> entries = new HashMap<>();

    private final TreeMap<Integer, Long> sums = new TreeMap<>();

    /** The list of the reports of each process that has any. */
    private final Map<Long, Node> ofProcesses = new HashMap<>();

    private long count;

    /** Adds a report. */
    public void added(Entry entry) {
        Key key = new Key(entry.device, entry.id);
        Entry latest = entries.get(key);
        entry.earlier = latest;
        if (latest != null) {
            latest.later = entry;
        }
        entries.put(key, entry);
        ofProcesses.computeIfAbsent(entry.process, unused -> new Node()).append(entry);
        sums.merge(entry.device, entry.size, Long::sum);
        count++;
    }

    /** Returns whether a report with this id exists. */
    public boolean isKnown(int device, long id) {
        return entries.containsKey(new Key(device, id));
    }

    /** Removes a report: the one of this size, or else the latest. Returns the number of subtracted bytes. */
    public long removed(int device, long id, long size) {
        Entry latest = entries.get(new Key(device, id));
        if (latest == null) {
            return 0;
        }
        Entry gone = ofSize(size, latest);
        remove(gone);
        return gone.size;
    }

    private static Entry ofSize(long size, Entry latest) {
        Entry candidate = latest;
        for (int searched = 0; candidate != null && searched < MAX_SEARCHED; searched++) {
            if (candidate.size == size) {
                return candidate;
            }
            candidate = candidate.earlier;
        }
        return latest;
    }

    private void remove(Entry entry) {
        Key key = new Key(entry.device, entry.id);
        Entry earlier = entry.earlier;
        Entry later = entry.later;
        if (earlier != null) {
            earlier.later = later;
        }
        if (later != null) {
            later.earlier = earlier;
        } else if (earlier != null) {
            entries.put(key, earlier);
        } else {
            entries.remove(key);
        }
        entry.unlink();
        count--;
        sums.merge(entry.device, -entry.size, Long::sum);
        ofProcesses.computeIfPresent(entry.process, (unused, list) -> list.isEmpty() ? null : list);
    }

    // Processes

    /** Removes the reports of a dead process. */
    public RemovedEntries died(long process) {
        Node list = ofProcesses.get(process);
        if (list == null) {
            return RemovedEntries.NONE;
        }
        long removed = 0;
        long bytes = 0;
        while (!list.isEmpty()) {
            Entry entry = (Entry) list.first();
            removed++;
            bytes += entry.size;
            remove(entry);
        }
        return new RemovedEntries(removed, bytes);
    }

    /** Returns whether a process has any report. */
    public boolean hasAnyOf(long process) {
        return ofProcesses.containsKey(process);
    }

    // Queries

    /** Returns the sum of a device. */
    public long bytes(int device) {
        return sums.getOrDefault(device, 0L);
    }

    /** Returns the number of stored reports. */
    public long count() {
        return count;
    }

    /** Returns all reports, by device and id. */
    public List<Entry> all() {
        return entries.values().stream()
                .flatMap(RunningTotals::ofOneId)
                .sorted(BY_ADDRESS)
                .toList();
    }

    private static Stream<Entry> ofOneId(Entry latest) {
        Deque<Entry> inOrder = new ArrayDeque<>();
        for (Entry entry = latest; entry != null; entry = entry.earlier) {
            inOrder.addFirst(entry);
        }
        return inOrder.stream();
    }
}
