package dev.meshguard.samples.corpus.oldtools;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * {@code analyze_remaining_buffer_sizes.py}: the buffers that were allocated before the last dump and never freed.
 *
 * <p>It treats an address that was freed once and reused as freed, and ignores the line of a second reference.
 */
final class AnalyzeRemainingBufferSizes implements OldTool {

    private record Key(int device, long id) {}

    @Override
    public String name() {
        return "analyze_remaining_buffer_sizes.py";
    }

    @Override
    public int leaks(List<LogLine> log) {
        Set<Key> allocated = new HashSet<>();
        Set<Key> freed = new HashSet<>();
        for (LogLine line : LogLine.beforeTheDump(log)) {
            Key key = new Key(line.device(), line.id());
            switch (line.kind()) {
                case ALLOCATED -> allocated.add(key);
                case RELEASED, FREED -> freed.add(key);
                case ALLOCATED_AGAIN, UNKNOWN_FREE, DEAD_PROCESS, DUMP -> {}
            }
        }
        allocated.removeAll(freed);
        return allocated.size();
    }
}
