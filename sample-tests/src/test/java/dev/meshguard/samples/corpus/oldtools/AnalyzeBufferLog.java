package dev.meshguard.samples.corpus.oldtools;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * {@code analyze_buffer_log.py}: for each device and id, allocations against frees, unknown ones too, over the whole log.
 *
 * <p>It ignores the end of a process, and the position of the dump in the log.
 */
final class AnalyzeBufferLog implements OldTool {

    private record Key(int device, long id) {}

    @Override
    public String name() {
        return "analyze_buffer_log.py";
    }

    @Override
    public int leaks(List<LogLine> log) {
        Map<Key, Integer> surplus = new HashMap<>();
        for (LogLine line : log) {
            int step = switch (line.kind()) {
                case ALLOCATED, ALLOCATED_AGAIN -> 1;
                case RELEASED, FREED, UNKNOWN_FREE -> -1;
                case DEAD_PROCESS, DUMP -> 0;
            };
            if (step != 0) {
                surplus.merge(new Key(line.device(), line.id()), step, Integer::sum);
            }
        }
        return (int) surplus.values().stream().filter(count -> count > 0).count();
    }
}
