package dev.meshguard.verdict.internal;

import dev.meshguard.tracker.Phase;
import dev.meshguard.tracker.history.AllocationHistory;
import dev.meshguard.tracker.history.BufferGeneration;
import dev.meshguard.tracker.history.HistoryEvent;
import dev.meshguard.verdict.PhaseStretch;
import dev.meshguard.verdict.PhaseStretch.Flow;
import dev.meshguard.verdict.PhaseStretch.Place;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Cuts a history at its phases and adds up what came and went in each piece. */
final class Stretches {

    /** A life that begins or ends. */
    private record Change(long event, Place place, long bytes, int buffers) {}

    private Stretches() {}

    static List<PhaseStretch> of(AllocationHistory history) {
        List<Change> changes = changes(history);
        List<HistoryEvent.PhaseBegan> phases = history.phases();
        List<PhaseStretch> stretches = new ArrayList<>();
        Tally tally = new Tally();
        Phase phase = Phase.START;
        int next = 0;
        for (int i = 0; i <= phases.size(); i++) {
            long end = i < phases.size() ? phases.get(i).number() : Long.MAX_VALUE;
            while (next < changes.size() && changes.get(next).event() < end) {
                tally.add(changes.get(next++));
            }
            if (i > 0 || tally.moved) {
                stretches.add(tally.cut(phase));
            }
            phase = i < phases.size() ? phases.get(i).phase() : phase;
        }
        return stretches;
    }

    private static List<Change> changes(AllocationHistory history) {
        List<Change> changes = new ArrayList<>();
        for (BufferGeneration buffer : history.generations()) {
            Place place = new Place(buffer.device(), buffer.type());
            changes.add(new Change(buffer.bornAt(), place, buffer.size(), 1));
            buffer.diedAt().ifPresent(event -> changes.add(new Change(event, place, -buffer.size(), -1)));
        }
        changes.sort(Comparator.comparingLong(Change::event));
        return changes;
    }

    /** What is live, and what moved since the last cut. */
    private static final class Tally {

        private final Map<Place, long[]> live = new TreeMap<>();
        private final Map<Place, long[]> moves = new TreeMap<>();
        private long bytes;
        private long peak;
        private boolean moved;

        private void add(Change change) {
            long[] held = live.computeIfAbsent(change.place(), unused -> new long[2]);
            held[0] += change.bytes();
            held[1] += change.buffers();
            moves.computeIfAbsent(change.place(), unused -> new long[2])[change.buffers() > 0 ? 0 : 1] +=
                    Math.abs(change.bytes());
            bytes += change.bytes();
            peak = Math.max(peak, bytes);
            moved = true;
        }

        private PhaseStretch cut(Phase phase) {
            TreeMap<Place, Flow> flows = new TreeMap<>();
            live.forEach((place, held) -> {
                long[] move = moves.getOrDefault(place, new long[2]);
                Flow flow = new Flow(move[0], move[1], held[0], held[1]);
                if (!flow.equals(Flow.NOTHING)) {
                    flows.put(place, flow);
                }
            });
            PhaseStretch stretch = new PhaseStretch(phase, flows, bytes, peak);
            moves.clear();
            peak = bytes;
            return stretch;
        }
    }
}
