package dev.meshguard.verdict.internal;

import dev.meshguard.tracker.history.AllocationHistory;
import dev.meshguard.tracker.history.BufferGeneration;
import dev.meshguard.tracker.history.HistoryEvent;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Survivor;
import dev.meshguard.verdict.SurvivorStatus;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * From when to when memory was held, which is not how long the books held it.
 *
 * <p>Of what a verdict calls misreported only so much is counted as is proved: to the last free that was reported, or to the end of
 * its owner. A buffer without either was given back at a moment that nobody knows, and is left out.
 */
public final class HeldMemory {

    /** Later than every event. */
    public static final long TO_THE_END = Long.MAX_VALUE;

    /**
     * The memory of one buffer.
     *
     * @param buffer the buffer
     * @param from the number of the event that took it
     * @param until the number of the event that gave it back, or {@link #TO_THE_END}
     */
    public record HoldInterval(BufferGeneration buffer, long from, long until) {}

    private final LeakVerdict verdict;
    private final IdentityHashMap<BufferGeneration, SurvivorStatus> standings = new IdentityHashMap<>();
    private final Map<Integer, long[]> deviceCloses;
    private final Map<Integer, long[]> meshCloses;
    private long excluded;

    /** Reads a verdict. */
    public HeldMemory(LeakVerdict verdict) {
        this.verdict = verdict;
        for (Survivor survivor : verdict.survivors()) {
            standings.put(survivor.buffer(), survivor.status());
        }
        Map<Integer, List<Long>> ofDevices = new HashMap<>();
        Map<Integer, List<Long>> ofMeshes = new HashMap<>();
        for (HistoryEvent event : verdict.history().events()) {
            if (event instanceof HistoryEvent.DeviceClosed closed) {
                ofDevices
                        .computeIfAbsent(closed.device(), unused -> new ArrayList<>())
                        .add(closed.number());
            } else if (event instanceof HistoryEvent.MeshClosed closed) {
                ofMeshes.computeIfAbsent(closed.mesh(), unused -> new ArrayList<>())
                        .add(closed.number());
            }
        }
        this.deviceCloses = arrays(ofDevices);
        this.meshCloses = arrays(ofMeshes);
    }

    /** Returns what was held, in the order in which it was taken. */
    public List<HoldInterval> phaseUsages() {
        List<HoldInterval> stretches = new ArrayList<>();
        excluded = 0;
        for (BufferGeneration buffer : verdict.history().generations()) {
            long until = until(buffer);
            if (until > buffer.allocatedAt()) {
                stretches.add(new HoldInterval(buffer, buffer.allocatedAt(), until));
            } else {
                excluded++;
            }
        }
        return stretches;
    }

    /** Returns how many buffers the last {@link #phaseUsages()} left out. */
    public long excludedBuffers() {
        return excluded;
    }

    /** Returns how many bytes of each bank a buffer takes, if that is known. */
    public static OptionalLong bytesPerBank(BufferGeneration buffer) {
        long most = -1;
        for (BufferGeneration.Report report : buffer.reports()) {
            OptionalLong extent = report.request().details().extent();
            if (extent.isEmpty()) {
                return OptionalLong.empty();
            }
            most = Math.max(most, extent.getAsLong());
        }
        return OptionalLong.of(most);
    }

    /** Returns when the memory was gone for good: when it was given back, or when the close of its device or mesh wiped it. */
    public long goneAt(HoldInterval stretch) {
        BufferGeneration buffer = stretch.buffer();
        long wiped = firstAfter(deviceCloses.get(buffer.device()), stretch.from());
        if (buffer.mesh().isPresent()) {
            wiped = Math.min(wiped, firstAfter(meshCloses.get(buffer.mesh().getAsInt()), stretch.from()));
        }
        return Math.min(stretch.until(), wiped);
    }

    private long until(BufferGeneration buffer) {
        if (!buffer.isLive()) {
            return buffer.freedAt().orElse(TO_THE_END);
        }
        return standings.get(buffer) == SurvivorStatus.MISREPORTED ? provedUntil(buffer) : TO_THE_END;
    }

    private long provedUntil(BufferGeneration buffer) {
        long last = -1;
        for (BufferGeneration.Report report : buffer.reports()) {
            last = Math.max(last, report.freedAt().orElse(-1));
        }
        if (last >= 0) {
            return last;
        }
        AllocationHistory history = verdict.history();
        return buffer.owner().map(history::endOf).orElse(OptionalLong.empty()).orElse(-1);
    }

    private static long firstAfter(long @Nullable [] events, long event) {
        if (events == null) {
            return TO_THE_END;
        }
        int place = Arrays.binarySearch(events, event);
        int next = place < 0 ? -place - 1 : place + 1;
        return next < events.length ? events[next] : TO_THE_END;
    }

    private static Map<Integer, long[]> arrays(Map<Integer, List<Long>> lists) {
        Map<Integer, long[]> arrays = new HashMap<>();
        lists.forEach((key, list) ->
                arrays.put(key, list.stream().mapToLong(Long::longValue).toArray()));
        return arrays;
    }
}
