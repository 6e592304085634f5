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
 *
 * <p>A process's death removes its bytes from the sums at once, and its reports with {@link #clean}.
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

        private @Nullable Reporter reporter;

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

        private boolean isDead() {
            return reporter != null && reporter.isDead;
        }
    }

    private record Key(int device, long id) {}

    /** The reports of one process. */
    private static final class Reporter {
        private final Node entries = new Node();
        private final Map<Integer, Long> sums = new HashMap<>();
        private long count;
        private boolean isDead;
    }

    /** The latest report of each device and id. */
    private final Map<Key, Entry> entries = new HashMap<>();

    private final TreeMap<Integer, Long> sums = new TreeMap<>();
    private final Map<Long, Reporter> reporters = new HashMap<>();
    private final Deque<Reporter> dying = new ArrayDeque<>();
    private long count;

    /** Adds a report. */
    public void added(Entry entry) {
        Key key = new Key(entry.device, entry.id);
        Entry latest = latest(key);
        entry.earlier = latest;
        if (latest != null) {
            latest.later = entry;
        }
        entries.put(key, entry);
        Reporter reporter = reporters.computeIfAbsent(entry.process, unused -> new Reporter());
        entry.reporter = reporter;
        reporter.entries.append(entry);
        reporter.count++;
        reporter.sums.merge(entry.device, entry.size, Long::sum);
        sums.merge(entry.device, entry.size, Long::sum);
        count++;
    }

    /** Returns whether a report with this id exists. */
    public boolean isKnown(int device, long id) {
        return latest(new Key(device, id)) != null;
    }

    /** Removes a report: the one of this size, or else the latest. Returns the number of subtracted bytes. */
    public long removed(int device, long id, long size) {
        Key key = new Key(device, id);
        Entry latest = latest(key);
        if (latest == null) {
            return 0;
        }
        Entry gone = ofSize(size, latest);
        remove(key, gone);
        sums.merge(device, -gone.size, Long::sum);
        return gone.size;
    }

    /** Returns the latest report of an id, after removing earlier ones of dead processes. */
    private @Nullable Entry latest(Key key) {
        Entry latest = entries.get(key);
        while (latest != null && latest.isDead()) {
            die(latest);
            latest = entries.get(key);
        }
        return latest;
    }

    private static Entry ofSize(long size, Entry latest) {
        Entry candidate = latest;
        for (int searched = 0; candidate != null && searched < MAX_SEARCHED; searched++) {
            if (candidate.size == size && !candidate.isDead()) {
                return candidate;
            }
            candidate = candidate.earlier;
        }
        return latest;
    }

    private void remove(Key key, Entry entry) {
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
        Reporter reporter = entry.reporter;
        if (reporter != null) {
            reporter.count--;
            reporter.sums.merge(entry.device, -entry.size, Long::sum);
            if (reporter.count == 0) {
                reporters.remove(entry.process, reporter);
            }
        }
    }

    // Processes

    /** The totals of a dead process. */
    public record Death(long count, long bytes) {

        /** The death of a process without reports. */
        public static final Death NONE = new Death(0, 0);
    }

    /** Announces the death of a process: the sums exclude it now, and {@link #clean} removes its reports. */
    public Death announceDeath(long process) {
        Reporter reporter = reporters.remove(process);
        if (reporter == null) {
            return Death.NONE;
        }
        reporter.isDead = true;
        dying.add(reporter);
        reporter.sums.forEach((device, bytes) -> sums.merge(device, -bytes, Long::sum));
        return new Death(
                reporter.count,
                reporter.sums.values().stream().mapToLong(bytes -> bytes).sum());
    }

    /** Returns whether {@link #clean} has something to do. */
    public boolean isToBeCleaned() {
        return !dying.isEmpty();
    }

    /** Removes a part of the reports of dead processes; returns the number of unused steps. */
    public int clean(int steps) {
        int left = steps;
        while (left > 0 && !dying.isEmpty()) {
            Node all = dying.element().entries;
            if (all.isEmpty()) {
                dying.remove();
            } else {
                die((Entry) all.first());
                left--;
            }
        }
        return left;
    }

    private void die(Entry entry) {
        remove(new Key(entry.device, entry.id), entry);
    }

    /** Returns whether a process has any report. */
    public boolean hasAnyOf(long process) {
        return reporters.containsKey(process);
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
                .filter(entry -> !entry.isDead())
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
