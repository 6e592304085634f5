package dev.meshguard.verdict.internal;

import dev.meshguard.tracker.history.AllocationHistory;
import dev.meshguard.tracker.history.GenerationSums;
import dev.meshguard.verdict.PhaseUsage;
import dev.meshguard.verdict.PhaseUsage.Flow;
import dev.meshguard.verdict.PhaseUsage.Place;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** What came and went in each piece of a history that is cut at its phases. */
final class PhaseUsages {

    private PhaseUsages() {}

    static List<PhaseUsage> of(AllocationHistory history) {
        List<PhaseUsage> stretches = new ArrayList<>(history.phases().size() + 1);
        SortedMap<Place, Flow> held = new TreeMap<>();
        for (GenerationSums.PhaseSums stretch : history.generationSums().phases()) {
            SortedMap<Place, Flow> flows = new TreeMap<>(held);
            for (GenerationSums.Flow one : stretch.flows()) {
                Place place = new Place(one.device(), one.type());
                put(
                        place,
                        new Flow(one.allocatedBytes(), one.freed().bytes(), one.liveBytes(), one.liveBuffers()),
                        flows);
                put(place, new Flow(0, 0, one.liveBytes(), one.liveBuffers()), held);
            }
            stretches.add(new PhaseUsage(stretch.phase(), flows, stretch.liveBytes(), stretch.peakBytes()));
        }
        return stretches;
    }

    private static void put(Place place, Flow flow, SortedMap<Place, Flow> flows) {
        if (flow.equals(Flow.NOTHING)) {
            flows.remove(place);
        } else {
            flows.put(place, flow);
        }
    }
}
