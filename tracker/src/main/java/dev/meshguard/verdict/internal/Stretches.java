package dev.meshguard.verdict.internal;

import dev.meshguard.tracker.BufferType;
import dev.meshguard.tracker.Phase;
import dev.meshguard.tracker.history.AllocationHistory;
import dev.meshguard.tracker.history.HistoryEvent;
import dev.meshguard.verdict.PhaseStretch;
import dev.meshguard.verdict.PhaseStretch.Flow;
import dev.meshguard.verdict.PhaseStretch.Place;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Cuts a history at its phases and adds up what came and went in each piece. */
final class Stretches {

    private Stretches() {}

    static List<PhaseStretch> of(AllocationHistory history) {
        List<HistoryEvent.PhaseBegan> phases = history.phases();
        List<PhaseStretch> stretches = new ArrayList<>(phases.size() + 1);
        if (history.notable().isEmpty() && history.quiet().count() == 0) {
            for (HistoryEvent.PhaseBegan began : phases) {
                stretches.add(new PhaseStretch(began.phase(), Collections.emptySortedMap(), 0, 0));
            }
            return stretches;
        }
        Tally tally = new Tally();
        history.eachLife((event, device, type, size, begins) -> {
            while (tally.phase < phases.size() && phases.get(tally.phase).number() <= event) {
                cut(tally, phases, stretches);
            }
            tally.add(device, type, size, begins);
        });
        while (tally.phase <= phases.size()) {
            cut(tally, phases, stretches);
        }
        return stretches;
    }

    private static void cut(Tally tally, List<HistoryEvent.PhaseBegan> phases, List<PhaseStretch> stretches) {
        if (tally.phase > 0 || tally.moved) {
            stretches.add(tally.cut(
                    tally.phase == 0 ? Phase.START : phases.get(tally.phase - 1).phase()));
        }
        tally.phase++;
    }

    /** What is live, and what moved since the last cut. */
    private static final class Tally {

        private static final int HELD_BYTES = 0;
        private static final int HELD_BUFFERS = 1;
        private static final int CAME_BYTES = 2;
        private static final int WENT_BYTES = 3;
        private static final int SUMS = 4;

        private static final int TYPES = BufferType.values().length;
        private static final int NEAR = 256;

        private final TreeMap<Place, long[]> places = new TreeMap<>();
        /** Some of the places, where their device and type say: every life asks for one. */
        private final @Nullable Place[] near = new @Nullable Place[NEAR];

        private final long[][] sumsOfNear = new long[NEAR][];
        private int phase;
        private long bytes;
        private long peak;
        private boolean moved;

        private void add(int device, BufferType type, long size, boolean begins) {
            long[] sums = sumsOf(device, type);
            sums[HELD_BYTES] += begins ? size : -size;
            sums[HELD_BUFFERS] += begins ? 1 : -1;
            sums[begins ? CAME_BYTES : WENT_BYTES] += size;
            bytes += begins ? size : -size;
            peak = Math.max(peak, bytes);
            moved = true;
        }

        private long[] sumsOf(int device, BufferType type) {
            int at = (device * TYPES + type.ordinal()) & (NEAR - 1);
            Place place = near[at];
            if (place == null || place.device() != device || place.type() != type) {
                place = new Place(device, type);
                near[at] = place;
                sumsOfNear[at] = places.computeIfAbsent(place, unused -> new long[SUMS]);
            }
            return sumsOfNear[at];
        }

        private PhaseStretch cut(Phase phase) {
            TreeMap<Place, Flow> flows = new TreeMap<>();
            places.forEach((place, sums) -> {
                Flow flow = new Flow(sums[CAME_BYTES], sums[WENT_BYTES], sums[HELD_BYTES], sums[HELD_BUFFERS]);
                if (!flow.equals(Flow.NOTHING)) {
                    flows.put(place, flow);
                }
                sums[CAME_BYTES] = 0;
                sums[WENT_BYTES] = 0;
            });
            PhaseStretch stretch = new PhaseStretch(phase, flows, bytes, peak);
            peak = bytes;
            return stretch;
        }
    }
}
