package dev.meshguard.samples.corpus.oldtools;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The server's own totals at the dump: memory is missing if a device still has buffers.
 *
 * <p>The first server added size and count of every report and subtracted them once, when the entry was removed. The second
 * counts references. Later ones remove the entries of an ended process.
 */
final class OldServerTotals implements OldTool {

    /** The way of adding up reports of one address. */
    enum Counting {
        /** Each adds, the first free takes the entry away: the generation without reference counts. */
        EVERY_REPORT,
        /** Each is a reference, the last free takes the entry away. */
        REFERENCES
    }

    private record Key(int device, long id) {}

    private record Entry(long pid, int references) {}

    private final Counting counting;
    private final boolean removesDeadProcesses;

    OldServerTotals(Counting counting, boolean removesDeadProcesses) {
        this.counting = counting;
        this.removesDeadProcesses = removesDeadProcesses;
    }

    @Override
    public String name() {
        return "server totals, "
                + (counting == Counting.EVERY_REPORT ? "every report counted" : "references counted")
                + (removesDeadProcesses ? ", dead processes removed" : "");
    }

    @Override
    public int leaks(List<LogLine> log) {
        Map<Key, Entry> entries = new HashMap<>();
        Map<Integer, Integer> buffers = new HashMap<>();
        for (LogLine line : LogLine.beforeTheDump(log)) {
            Key key = new Key(line.device(), line.id());
            switch (line.kind()) {
                case ALLOCATED, ALLOCATED_AGAIN -> allocate(entries, buffers, key, line.pid());
                case RELEASED, FREED, UNKNOWN_FREE -> free(entries, buffers, key);
                case DEAD_PROCESS -> removeThoseOf(line.pid(), entries, buffers);
                case DUMP -> {}
            }
        }
        return buffers.values().stream().mapToInt(Integer::intValue).sum();
    }

    private void allocate(Map<Key, Entry> entries, Map<Integer, Integer> buffers, Key key, long pid) {
        Entry known = entries.get(key);
        if (counting == Counting.EVERY_REPORT) {
            entries.put(key, new Entry(pid, 1));
            buffers.merge(key.device(), 1, Integer::sum);
        } else if (known == null) {
            entries.put(key, new Entry(pid, 1));
            buffers.merge(key.device(), 1, Integer::sum);
        } else {
            entries.put(key, new Entry(known.pid(), known.references() + 1));
        }
    }

    private static void free(Map<Key, Entry> entries, Map<Integer, Integer> buffers, Key key) {
        Entry known = entries.get(key);
        if (known == null) {
            return;
        }
        if (known.references() > 1) {
            entries.put(key, new Entry(known.pid(), known.references() - 1));
        } else {
            entries.remove(key);
            buffers.merge(key.device(), -1, Integer::sum);
        }
    }

    private void removeThoseOf(long pid, Map<Key, Entry> entries, Map<Integer, Integer> buffers) {
        if (removesDeadProcesses) {
            List<Key> orphans = entries.entrySet().stream()
                    .filter(entry -> entry.getValue().pid() == pid)
                    .map(Map.Entry::getKey)
                    .toList();
            for (Key orphan : orphans) {
                entries.remove(orphan);
                buffers.merge(orphan.device(), -1, Integer::sum);
            }
        }
    }
}
