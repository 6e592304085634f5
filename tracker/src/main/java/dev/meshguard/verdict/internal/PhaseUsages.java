package dev.meshguard.verdict.internal;

import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.GenerationSums;
import dev.meshguard.verdict.PhaseUsage;
import dev.meshguard.verdict.PhaseUsage.Flow;
import dev.meshguard.verdict.PhaseUsage.Place;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** Computes the memory that was allocated and freed in each phase of a history. */
final class PhaseUsages {

    private PhaseUsages() {}

    static List<PhaseUsage> of(AllocationHistory history) {
        List<PhaseUsage> intervals = new ArrayList<>(history.phases().size() + 1);
        SortedMap<Place, Flow> held = new TreeMap<>();
        for (GenerationSums.PhaseSums interval : history.generationSums().phases()) {
            SortedMap<Place, Flow> flows = new TreeMap<>(held);
            for (GenerationSums.Flow one : interval.flows()) {
                Place address = new Place(one.device(), one.type());
                put(
                        address,
                        new Flow(one.allocatedBytes(), one.freed().bytes(), one.liveBytes(), one.liveBuffers()),
                        flows);
                put(address, new Flow(0, 0, one.liveBytes(), one.liveBuffers()), held);
            }
            intervals.add(new PhaseUsage(interval.phase(), flows, interval.liveBytes(), interval.peakBytes()));
        }
        return intervals;
    }

    private static void put(Place address, Flow flow, SortedMap<Place, Flow> flows) {
        if (flow.equals(Flow.NOTHING)) {
            flows.remove(address);
        } else {
            flows.put(address, flow);
        }
    }
}
