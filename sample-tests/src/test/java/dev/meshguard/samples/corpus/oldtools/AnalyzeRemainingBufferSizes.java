package dev.meshguard.samples.corpus.oldtools;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * {@code analyze_remaining_buffer_sizes.py}: what was allocated before the last dump and never freed at all.
 *
 * <p>An address that was freed once and lent anew is taken for freed, and a line of a second reference is not seen.
 */
final class AnalyzeRemainingBufferSizes implements OldTool {

    private record Key(int device, long id) {}

    @Override
    public String name() {
        return "analyze_remaining_buffer_sizes.py";
    }

    @Override
    public int leaks(List<String> log) {
        Set<Key> allocated = new HashSet<>();
        Set<Key> freed = new HashSet<>();
        for (LogLine line : LogLine.beforeTheDump(LogLine.parse(log))) {
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
