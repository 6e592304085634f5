package dev.meshguard.capture.internal;

import dev.meshguard.event.BufferType;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * The periods in which a graph has buffers allocated, by the numbers of its nodes, to compare them with snapshots.
 *
 * <p>A snapshot may count devices otherwise than the graph. So a place is an address in a memory, of any device.
 */
final class AllocationPeriods {

    /** The state of a place after a node. */
    enum State {
        /** A buffer of the capture is allocated. */
        ALLOCATED,
        /** The graph freed what was allocated. */
        FREED,
        /** The graph knows nothing: a buffer there is from before the capture, or of another thread. */
        UNKNOWN
    }

    private record Place(BufferType.Memory memory, long address) {}

    /** Begins before the first node. */
    private static final int BEFORE = -1;

    private static final int OPEN = Integer.MAX_VALUE;

    private final Map<Place, Integer> numbers = new HashMap<>();
    private int[] places = new int[64];
    private int[] from = new int[64];
    private int[] to = new int[64];
    private int count;

    /** Begins the period of a buffer; returns its number. */
    int began(BufferType type, long address, int node) {
        if (count == places.length) {
            places = Arrays.copyOf(places, count * 2);
            from = Arrays.copyOf(from, count * 2);
            to = Arrays.copyOf(to, count * 2);
        }
        places[count] = numbers.computeIfAbsent(new Place(type.memory(), address), first -> numbers.size());
        from[count] = node;
        to[count] = OPEN;
        return count++;
    }

    void ended(int period, int node) {
        to[period] = node;
    }

    /** Adds the period of a buffer from before the capture. */
    void endedFromBefore(BufferType type, long address, int node) {
        ended(began(type, address, BEFORE), node);
    }

    /** Returns an index of the periods so far. */
    Index index() {
        return new Index();
    }

    /** Finds the state of each place after each node. */
    final class Index {

        /** For each place the index of its first period in the arrays, and the end of the last. */
        private final int[] firsts = new int[numbers.size() + 1];

        private final int[] froms = new int[count];
        /** The latest end among the periods of a place up to this one; periods of two devices may overlap. */
        private final int[] latestTo = new int[count];
        /** The latest end among those of buffers of the capture. */
        private final int[] latestOwnTo = new int[count];

        /** The beginnings and ends of the times in which a place is occupied by a buffer of the capture, ascending. */
        private final int[] occupiedFrom = new int[count];

        private final int[] occupiedTo = new int[count];
        private int occupied;

        private Index() {
            sortByPlace();
            for (int place = 0; place < firsts.length - 1; place++) {
                addOccupied(firsts[place], firsts[place + 1]);
            }
            Arrays.sort(occupiedFrom, 0, occupied);
            Arrays.sort(occupiedTo, 0, occupied);
        }

        /** A period from before is added when it ends, and begins first. */
        private void sortByPlace() {
            for (int period = 0; period < count; period++) {
                firsts[places[period] + 1]++;
            }
            for (int place = 1; place < firsts.length; place++) {
                firsts[place] += firsts[place - 1];
            }
            int[] next = Arrays.copyOf(firsts, firsts.length);
            int[] order = new int[count];
            for (boolean before : new boolean[] {true, false}) {
                for (int period = 0; period < count; period++) {
                    if ((from[period] == BEFORE) == before) {
                        order[next[places[period]]++] = period;
                    }
                }
            }
            for (int i = 0; i < count; i++) {
                int period = order[i];
                boolean isFirst = i == firsts[places[period]];
                boolean isOwn = from[period] != BEFORE;
                froms[i] = from[period];
                latestTo[i] = isFirst ? to[period] : Math.max(latestTo[i - 1], to[period]);
                latestOwnTo[i] = Math.max(isFirst ? BEFORE : latestOwnTo[i - 1], isOwn ? to[period] : BEFORE);
            }
        }

        private void addOccupied(int first, int end) {
            int open = BEFORE;
            for (int i = first; i < end; i++) {
                if (froms[i] == BEFORE) {
                    continue;
                }
                if (open == BEFORE || froms[i] >= open) {
                    if (open != BEFORE) {
                        occupiedTo[occupied - 1] = open;
                    }
                    occupiedFrom[occupied++] = froms[i];
                }
                open = latestOwnTo[i];
            }
            if (open != BEFORE) {
                occupiedTo[occupied - 1] = open;
            }
        }

        /** Returns how many places there are. */
        int places() {
            return firsts.length - 1;
        }

        /** Returns the number of a place, to count each once; -1 if no node names it. */
        int place(BufferType type, long address) {
            return numbers.getOrDefault(new Place(type.memory(), address), -1);
        }

        State after(int node, int place) {
            if (place < 0) {
                return State.UNKNOWN;
            }
            int found = Arrays.binarySearch(froms, firsts[place], firsts[place + 1], node);
            int last = found >= 0 ? found : -found - 2;
            if (last < firsts[place]) {
                return State.UNKNOWN;
            }
            if (latestOwnTo[last] > node) {
                return State.ALLOCATED;
            }
            return latestTo[last] > node ? State.UNKNOWN : State.FREED;
        }

        /** Returns at how many places a buffer of the capture is allocated after a node. */
        int allocatedAfter(int node) {
            return notAfter(occupiedFrom, node) - notAfter(occupiedTo, node);
        }

        private int notAfter(int[] sorted, int node) {
            int low = 0;
            int high = occupied;
            while (low < high) {
                int middle = (low + high) >>> 1;
                if (sorted[middle] <= node) {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            return low;
        }
    }
}
