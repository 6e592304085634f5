package dev.meshguard.verdict.internal;

import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.history.BufferGeneration.HoldInterval;
import dev.meshguard.history.Timeline;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Survivor;
import dev.meshguard.verdict.SurvivorStatus;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The intervals in which each buffer of a history really held memory; they can differ from the time between its reports.
 *
 * <p>For buffers that a verdict calls misreported only the proved time counts: until the last reported free, or until
 * the end of the owner. A buffer without either was freed at an unknown moment and is excluded.
 *
 * <p>Not safe for use by several threads.
 */
public final class HoldIntervals {

    /** A number greater than that of every event. */
    public static final long TO_THE_END = Long.MAX_VALUE;

    private final AllocationHistory history;

    /** Until when the misreported buffers are proved to be held. */
    private final Map<BufferGeneration, Long> ends = new HashMap<>();

    private @Nullable List<HoldInterval> intervals;

    /** Computes the intervals of a verdict. */
    public HoldIntervals(LeakVerdict verdict) {
        this.history = verdict.history();
        for (Survivor survivor : verdict.survivors()) {
            if (survivor.status() == SurvivorStatus.MISREPORTED
                    && survivor.buffer().isLive()) {
                ends.put(survivor.buffer(), provedUntil(survivor.buffer()));
            }
        }
    }

    /** Returns the timeline of the memory that was really held. */
    public Timeline timeline() {
        return history.timeline(ends);
    }

    /** Returns the intervals, in the order of allocation; they are made once. */
    public List<HoldInterval> holdIntervals() {
        List<HoldInterval> known = intervals;
        if (known == null) {
            known = history.generations().stream()
                    .flatMap(buffer ->
                            buffer
                                    .holdIntervals(ends.getOrDefault(
                                            buffer, buffer.freedAt().orElse(TO_THE_END)))
                                    .stream())
                    .toList();
            intervals = known;
        }
        return known;
    }

    /** Returns how many buffers are excluded. */
    public long excludedBuffers() {
        return ends.entrySet().stream()
                .filter(end -> end.getValue() <= end.getKey().allocatedAt())
                .count();
    }

    private long provedUntil(BufferGeneration buffer) {
        long last = -1;
        for (BufferGeneration.Report report : buffer.reports()) {
            last = Math.max(last, report.freedAt().orElse(-1));
        }
        if (last >= 0) {
            return last;
        }
        return buffer.owner().map(history::endOf).orElse(OptionalLong.empty()).orElse(-1);
    }
}
