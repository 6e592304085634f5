package dev.meshguard.verdict;

import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.Phase;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.Timeline;
import java.util.ArrayList;
import java.util.List;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The memory that was in use while a test was in one named phase.
 *
 * <p>Returning to a phase starts another usage. A generation counts with its latest reported size.
 *
 * @param phase the phase
 * @param liveBytes bytes on all devices at the end of the phase
 * @param peakBytes the most bytes on all devices at any moment of the phase
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record PhaseUsage(Phase phase, long liveBytes, long peakBytes) {

    /** Returns the usage of each phase of a history, in order; the time before the first counts if anything changed in it. */
    public static List<PhaseUsage> of(AllocationHistory history) {
        Timeline.Curve all = history.timeline().curve(memory -> true);
        List<HistoryEvent.PhaseBegan> phases = history.phases();
        List<PhaseUsage> usages = new ArrayList<>(phases.size() + 1);
        Phase phase = Phase.START;
        long from = 0;
        for (int next = 0; next <= phases.size(); next++) {
            long until =
                    next == phases.size() ? Long.MAX_VALUE : phases.get(next).number();
            if (next > 0 || all.firstStepFrom(until) > 0) {
                Timeline.Section section = all.between(from, until);
                usages.add(new PhaseUsage(phase, section.liveBytes(), section.peakBytes()));
            }
            if (next < phases.size()) {
                phase = phases.get(next).phase();
                from = until;
            }
        }
        return usages;
    }
}
