package dev.meshguard.verdict;

import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.Phase;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.Timeline;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The memory that was allocated and freed while a test was in one phase.
 *
 * <p>Returning to a phase starts another usage. A generation counts with its first reported size, in bytes;
 * if it is resized, more bytes are allocated or some are freed.
 *
 * @param phase the phase
 * @param flows the changes in each memory of each device that held anything, by device and type
 * @param liveBytes bytes on all devices at the end of the phase
 * @param peakBytes the most bytes on all devices at any moment of the phase
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record PhaseUsage(Phase phase, SortedMap<DeviceMemory, Timeline.Section> flows, long liveBytes, long peakBytes) {

    private static final Comparator<DeviceMemory> BY_DEVICE =
            Comparator.comparingInt(DeviceMemory::device).thenComparing(DeviceMemory::type);

    /** Creates a usage with its own copy of the flows, in their order. */
    public PhaseUsage {
        flows = Collections.unmodifiableSortedMap(new TreeMap<>(flows));
    }

    /** Returns the usage of each phase of a history, in order; the time before the first counts if anything changed in it. */
    public static List<PhaseUsage> of(AllocationHistory history) {
        Map<DeviceMemory, Timeline.Curve> memories = history.timeline().curvesBy(DeviceMemory::of);
        Timeline.Curve all = history.timeline().curve(memory -> true);
        List<HistoryEvent.PhaseBegan> phases = history.phases();
        List<PhaseUsage> usages = new ArrayList<>(phases.size() + 1);
        Phase phase = Phase.START;
        long from = 0;
        for (int next = 0; next <= phases.size(); next++) {
            long until =
                    next == phases.size() ? Long.MAX_VALUE : phases.get(next).number();
            if (next > 0 || all.firstStepFrom(until) > 0) {
                Timeline.Section ofAll = all.between(from, until);
                usages.add(new PhaseUsage(phase, flows(memories, from, until), ofAll.liveBytes(), ofAll.peakBytes()));
            }
            if (next < phases.size()) {
                phase = phases.get(next).phase();
                from = until;
            }
        }
        return usages;
    }

    private static SortedMap<DeviceMemory, Timeline.Section> flows(
            Map<DeviceMemory, Timeline.Curve> memories, long from, long until) {
        SortedMap<DeviceMemory, Timeline.Section> flows = new TreeMap<>(BY_DEVICE);
        memories.forEach((memory, curve) -> {
            Timeline.Section flow = curve.between(from, until);
            if (flow.allocatedBytes() != 0
                    || flow.freedBytes() != 0
                    || flow.liveBytes() != 0
                    || flow.liveBuffers() != 0) {
                flows.put(memory, flow);
            }
        });
        return flows;
    }
}
