package dev.meshguard.report.page.internal.data;

import java.util.Arrays;

/**
 * How much was live after each event, thinned out where that is more than a screen shows.
 *
 * <p>Of each stretch of events the first and the last value stay, and the least and the most: so no peak is ever lost.
 */
final class Steps {

    static final int MOST = 4_000;
    private static final int KEPT_OF_A_STRETCH = 4;

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

    /** Returns the places of the steps that are shown, ascending. */
    int[] shown() {
        int[] kept = new int[Math.min(count, MOST)];
        if (count <= MOST) {
            Arrays.setAll(kept, place -> place);
            return kept;
        }
        int stretches = MOST / KEPT_OF_A_STRETCH;
        int size = 0;
        for (int stretch = 0; stretch < stretches; stretch++) {
            int from = (int) ((long) stretch * count / stretches);
            int to = (int) ((long) (stretch + 1) * count / stretches);
            int least = from;
            int most = from;
            for (int place = from; place < to; place++) {
                least = bytes[place] < bytes[least] ? place : least;
                most = bytes[place] > bytes[most] ? place : most;
            }
            for (int place : new int[] {from, Math.min(least, most), Math.max(least, most), to - 1}) {
                if (size == 0 || kept[size - 1] < place) {
                    kept[size++] = place;
                }
            }
        }
        return Arrays.copyOf(kept, size);
    }

    long event(int place) {
        return events[place];
    }

    long bytes(int place) {
        return bytes[place];
    }
}
