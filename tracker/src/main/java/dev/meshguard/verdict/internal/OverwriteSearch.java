package dev.meshguard.verdict.internal;

import dev.meshguard.event.HistoryEvent;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.Anomaly;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.verdict.Overwrite;
import dev.meshguard.verdict.Survivor;
import dev.meshguard.verdict.SurvivorStatus;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Finds the buffers whose data was lost: to a replay, or to another allocator. */
final class OverwriteSearch {

    private OverwriteSearch() {}

    /** Returns the findings of a history, the oldest first. Buffers whose free was not reported may have been freed before. */
    static List<Overwrite> in(AllocationHistory history, List<Survivor> survivors) {
        if (history.anomalies().isEmpty() && history.traceEvents().isEmpty()) {
            return List.of();
        }
        Set<BufferGeneration> givenBack = survivors.stream()
                .filter(survivor -> survivor.status() == SurvivorStatus.MISREPORTED)
                .map(Survivor::buffer)
                .collect(Collectors.toSet());
        List<Overwrite> found = new ArrayList<>(TraceReplays.overwritesIn(history, givenBack));
        for (Anomaly anomaly : history.anomalies()) {
            if (anomaly.kind() == Anomaly.Kind.HELD_BY_TWO_ALLOCATORS
                    && anomaly.event() instanceof HistoryEvent.Allocated later) {
                BufferGeneration earlier = anomaly.generation().orElseThrow();
                if (!givenBack.contains(earlier)) {
                    found.add(byOtherAllocator(history, earlier, later));
                }
            }
        }
        found.sort(Comparator.<Overwrite>comparingLong(
                        overwrite -> overwrite.event().number())
                .thenComparingLong(overwrite -> overwrite.buffer().allocatedAt()));
        return found;
    }

    private static Overwrite byOtherAllocator(
            AllocationHistory history, BufferGeneration earlier, HistoryEvent.Allocated later) {
        Optional<BufferGeneration> other = history.buffersOf(later.request()).stream()
                .filter(buffer -> buffer.allocatedAt() == later.number())
                .findFirst();
        return new Overwrite(
                Overwrite.Kind.BY_OTHER_ALLOCATOR,
                earlier,
                other.map(buffer -> buffer.reports().get(0)),
                Optional.empty(),
                later,
                1,
                other.map(buffer -> BankRange.of(buffer, history).common(BankRange.of(earlier, history)))
                        .filter(bytes -> bytes > 0)
                        .orElse(1L),
                Optional.empty());
    }
}
