package dev.meshguard.verdict.internal;

import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.GenerationSums;
import dev.meshguard.verdict.DeviceMemory;
import dev.meshguard.verdict.PhaseUsage;
import dev.meshguard.verdict.PhaseUsage.Flow;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** Converts the sums of a history into the memory that was allocated, freed, live and at its peak in each phase. */
final class PhaseUsageBuilder {

    private PhaseUsageBuilder() {}

    static List<PhaseUsage> of(AllocationHistory history) {
        List<PhaseUsage> usages = new ArrayList<>(history.phases().size() + 1);
        SortedMap<DeviceMemory, Flow> held = new TreeMap<>();
        for (GenerationSums.PhaseSums phase : history.generationSums().phases()) {
            SortedMap<DeviceMemory, Flow> flows = new TreeMap<>(held);
            for (GenerationSums.Flow one : phase.flows()) {
                DeviceMemory memory = new DeviceMemory(one.device(), one.type());
                put(
                        memory,
                        new Flow(one.allocatedBytes(), one.freed().bytes(), one.liveBytes(), one.liveBuffers()),
                        flows);
                put(memory, new Flow(0, 0, one.liveBytes(), one.liveBuffers()), held);
            }
            usages.add(new PhaseUsage(phase.phase(), flows, phase.liveBytes(), phase.peakBytes()));
        }
        return usages;
    }

    private static void put(DeviceMemory memory, Flow flow, SortedMap<DeviceMemory, Flow> flows) {
        if (flow.equals(Flow.NOTHING)) {
            flows.remove(memory);
        } else {
            flows.put(memory, flow);
        }
    }
}
