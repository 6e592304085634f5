package dev.meshguard.samples.corpus.oldtools;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** {@code diagnose_accumulation.sh}: the ids of allocated lines without a freed line, regardless of the device in either. */
final class DiagnoseAccumulation implements OldTool {

    @Override
    public String name() {
        return "diagnose_accumulation.sh";
    }

    @Override
    public int leaks(List<LogLine> log) {
        Set<Long> allocated = new HashSet<>();
        Set<Long> freed = new HashSet<>();
        for (LogLine line : log) {
            switch (line.kind()) {
                case ALLOCATED, ALLOCATED_AGAIN -> allocated.add(line.id());
                case RELEASED, FREED -> freed.add(line.id());
                case UNKNOWN_FREE, DEAD_PROCESS, DUMP -> {}
            }
        }
        allocated.removeAll(freed);
        return allocated.size();
    }
}
