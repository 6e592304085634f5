package dev.meshguard.server.books.internal;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The books of circular buffers, or of kernels, which the server keeps apart from buffers and as sums.
 *
 * <p>The old server adds every report and, of circular buffers, subtracts every free, known or not, so that a sum can fall below
 * zero. Here every report that was added is kept until it is taken off, and nothing else is.
 */
public final class SummedReports {

    /** One report. */
    public record Entry(int device, long id, long size, int kind, long process, long reportedAt) {}

    private record Key(int device, long id) {}

    private final boolean sumsMayWrap;
    private final boolean subtractsUnknown;
    private final Map<Key, List<Entry>> entries = new HashMap<>();
    private final TreeMap<Integer, Long> sums = new TreeMap<>();

    /**
     * Creates empty books.
     *
     * @param sumsMayWrap whether sums are kept as the old server keeps them: one entry for each id, all sizes as they are said
     * @param subtractsUnknown whether the old server subtracts also what it does not know
     */
    public SummedReports(boolean sumsMayWrap, boolean subtractsUnknown) {
        this.sumsMayWrap = sumsMayWrap;
        this.subtractsUnknown = subtractsUnknown;
    }

    /** Adds a report. */
    public void added(Entry entry) {
        List<Entry> there = entries.computeIfAbsent(new Key(entry.device(), entry.id()), unused -> new ArrayList<>(1));
        if (sumsMayWrap) {
            there.clear();
        }
        there.add(entry);
        sums.merge(entry.device(), entry.size(), Long::sum);
    }

    /** Returns whether a report with this id is there. */
    public boolean isKnown(int device, long id) {
        return entries.containsKey(new Key(device, id));
    }

    /** Takes a report off: the one of this size, or else the latest. Returns how many bytes were subtracted. */
    public long removed(int device, long id, long size) {
        Key key = new Key(device, id);
        List<Entry> there = entries.get(key);
        if (there == null) {
            return sumsMayWrap && subtractsUnknown ? subtracted(device, size) : 0;
        }
        int place = there.size() - 1;
        for (int i = there.size() - 1; i >= 0; i--) {
            if (there.get(i).size() == size) {
                place = i;
                break;
            }
        }
        Entry gone = there.remove(place);
        if (there.isEmpty()) {
            entries.remove(key);
        }
        return subtracted(device, sumsMayWrap ? size : gone.size());
    }

    private long subtracted(int device, long size) {
        sums.merge(device, -size, Long::sum);
        return size;
    }

    /** Takes off what a dead process had, and returns it. */
    public List<Entry> processDied(long process) {
        List<Entry> gone = new ArrayList<>();
        entries.values().forEach(there -> there.removeIf(entry -> entry.process() == process && gone.add(entry)));
        entries.values().removeIf(List::isEmpty);
        gone.forEach(entry -> sums.merge(entry.device(), -entry.size(), Long::sum));
        return gone;
    }

    /** Returns whether a process has anything. */
    public boolean hasAnyOf(long process) {
        return entries.values().stream().flatMap(List::stream).anyMatch(entry -> entry.process() == process);
    }

    /** Returns the sum of a device. */
    public long bytes(int device) {
        return sums.getOrDefault(device, 0L);
    }

    /** Returns what is there, by device and id. */
    public List<Entry> all() {
        return entries.values().stream()
                .flatMap(List::stream)
                .sorted((one, other) -> one.device() != other.device()
                        ? Integer.compare(one.device(), other.device())
                        : Long.compareUnsigned(one.id(), other.id()))
                .toList();
    }
}
