package dev.meshguard.page.internal.data;

import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * The live bytes after each event, thinned if there are more events than a screen shows.
 *
 * <p>For each segment of events the first, last, minimum and maximum values are kept, so no peak is lost.
 */
final class Steps {

    static final int MAX_STEPS = 4_000;
    private static final int KEPT_PER_SLICE = 4;
    private static final int MIN_PER_PHASE = 200;

    /** With more phases there is no room for a share of each. */
    private static final int MAX_PHASES = 200;

    private long[] events = new long[64];
    private long[] bytes = new long[64];
    private int count;
    private long live;
    private long peakBytes;
    private long peakEvent;

    void change(long event, long difference) {
        live += difference;
        if (live > peakBytes) {
            peakBytes = live;
            peakEvent = event;
        }
        if (count > 0 && events[count - 1] == event) {
            bytes[count - 1] = live;
            return;
        }
        if (count == events.length) {
            events = Arrays.copyOf(events, count * 2);
            bytes = Arrays.copyOf(bytes, count * 2);
        }
        events[count] = event;
        bytes[count] = live;
        count++;
    }

    int count() {
        return count;
    }

    long live() {
        return live;
    }

    long peakBytes() {
        return peakBytes;
    }

    long peakEvent() {
        return peakEvent;
    }

    /**
     * Returns the indexes of the shown steps, ascending.
     *
     * @param cuts the events at which phases begin, ascending: each phase has a share, even if it is shorter than the
     *     others
     */
    int[] shown(long... cuts) {
        if (count <= MAX_STEPS) {
            return IntStream.range(0, count).toArray();
        }
        int[] ends = ends(cuts.length > MAX_PHASES ? new long[0] : cuts);
        int least = Math.min(MIN_PER_PHASE, MAX_STEPS / (2 * ends.length));
        int shared = MAX_STEPS;
        for (int i = 0; i < ends.length; i++) {
            shared -= Math.min(least, ends[i] - (i == 0 ? 0 : ends[i - 1]));
        }
        IntStream.Builder kept = IntStream.builder();
        for (int i = 0; i < ends.length; i++) {
            int from = i == 0 ? 0 : ends[i - 1];
            int size = ends[i] - from;
            keep(from, ends[i], Math.min(least, size) + (int) ((long) shared * size / count), kept);
        }
        return kept.build().toArray();
    }

    /** Returns the index after the last step of each phase. */
    private int[] ends(long... cuts) {
        IntStream.Builder ends = IntStream.builder();
        int before = 0;
        for (long cut : cuts) {
            int found = Arrays.binarySearch(events, 0, count, cut);
            int end = found < 0 ? -found - 1 : found;
            if (end > before) {
                ends.add(end);
                before = end;
            }
        }
        if (before < count) {
            ends.add(count);
        }
        return ends.build().toArray();
    }

    private void keep(int begin, int end, int most, IntStream.Builder kept) {
        if (end - begin <= most) {
            IntStream.range(begin, end).forEach(kept::add);
            return;
        }
        int stretches = Math.max(1, most / KEPT_PER_SLICE);
        for (int stretch = 0; stretch < stretches; stretch++) {
            int from = begin + (int) ((long) stretch * (end - begin) / stretches);
            int to = begin + (int) ((long) (stretch + 1) * (end - begin) / stretches);
            int least = from;
            int greatest = from;
            for (int place = from; place < to; place++) {
                least = bytes[place] < bytes[least] ? place : least;
                greatest = bytes[place] > bytes[greatest] ? place : greatest;
            }
            IntStream.of(from, least, greatest, to - 1).sorted().distinct().forEach(kept::add);
        }
    }

    long event(int place) {
        return events[place];
    }

    long bytes(int place) {
        return bytes[place];
    }
}
