package dev.meshguard.page.internal.data;

import dev.meshguard.history.Timeline;
import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * The steps of a curve that a page shows, fewer if there are more than a screen can show.
 *
 * <p>For each segment of events the first, last, minimum and maximum values are kept, so no peak is lost.
 */
final class ShownSteps {

    static final int MAX_STEPS = 4_000;
    private static final int KEPT_PER_SLICE = 4;
    private static final int MIN_PER_PHASE = 200;

    /** With more phases there is no room for a share of each. */
    private static final int MAX_PHASES = 200;

    private final Timeline.Curve curve;
    private final int[] indexes;

    /**
     * Selects steps.
     *
     * @param cuts the events at which phases begin, ascending: each phase has a share, even if it is shorter than the
     *     others
     */
    ShownSteps(Timeline.Curve curve, long... cuts) {
        this.curve = curve;
        this.indexes = indexes(cuts);
    }

    /** Returns the whole curve. */
    Timeline.Curve curve() {
        return curve;
    }

    /** Returns how many steps are shown. */
    int count() {
        return indexes.length;
    }

    /** Returns the event of each shown step. */
    long[] events() {
        return Arrays.stream(indexes).mapToLong(curve::event).toArray();
    }

    /** Returns the live bytes after each shown step. */
    long[] bytes() {
        return Arrays.stream(indexes).mapToLong(curve::bytes).toArray();
    }

    private int[] indexes(long... cuts) {
        int count = curve.steps();
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

    /** Returns the index after the last step of each phase that has any. */
    private int[] ends(long... cuts) {
        return IntStream.concat(Arrays.stream(cuts).mapToInt(curve::firstStepFrom), IntStream.of(curve.steps()))
                .filter(end -> end > 0)
                .distinct()
                .toArray();
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
                least = curve.bytes(place) < curve.bytes(least) ? place : least;
                greatest = curve.bytes(place) > curve.bytes(greatest) ? place : greatest;
            }
            IntStream.of(from, least, greatest, to - 1).sorted().distinct().forEach(kept::add);
        }
    }
}
