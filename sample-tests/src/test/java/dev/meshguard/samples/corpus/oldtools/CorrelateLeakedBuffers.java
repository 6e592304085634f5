package dev.meshguard.samples.corpus.oldtools;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * {@code correlate_leaked_buffers.py}: like {@link AnalyzeBufferLog}, but its pattern of a free does not match lines with a
 * number of remaining references. It therefore counts every reference to a shared address and only the last of their frees.
 */
final class CorrelateLeakedBuffers implements OldTool {

    private record Key(int device, long id) {}

    @Override
    public String name() {
        return "correlate_leaked_buffers.py";
    }

    @Override
    public int leaks(List<LogLine> log) {
        Map<Key, Integer> surplus = new HashMap<>();
        Set<Key> allocated = new HashSet<>();
        for (LogLine line : log) {
            Key key = new Key(line.device(), line.id());
            switch (line.kind()) {
                case ALLOCATED, ALLOCATED_AGAIN -> {
                    allocated.add(key);
                    surplus.merge(key, 1, Integer::sum);
                }
                case FREED, UNKNOWN_FREE -> surplus.merge(key, -1, Integer::sum);
                case RELEASED, DEAD_PROCESS, DUMP -> {}
            }
        }
        return (int) allocated.stream()
                .filter(key -> surplus.getOrDefault(key, 0) > 0)
                .count();
    }
}
