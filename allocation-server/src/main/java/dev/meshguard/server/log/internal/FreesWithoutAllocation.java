package dev.meshguard.server.log.internal;

import dev.meshguard.event.Phase;
import dev.meshguard.server.log.FreedMemory;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Adds up the frees without an allocation, which are in no history. */
final class FreesWithoutAllocation {

    private static final class Tally {
        private long buffers;
        private long bytes;
    }

    private final Map<Phase, Tally> before = new LinkedHashMap<>();
    private final Map<Phase, Tally> after = new LinkedHashMap<>();

    void add(Phase phase, long bytes) {
        add(after, phase, 1, bytes);
    }

    /** Marks all frees so far as before the check. */
    void checked() {
        after.forEach((phase, tally) -> add(before, phase, tally.buffers, tally.bytes));
        after.clear();
    }

    List<FreedMemory> freed() {
        List<FreedMemory> freed = new ArrayList<>();
        before.forEach((phase, tally) -> freed.add(row(phase, tally, true)));
        after.forEach((phase, tally) -> freed.add(row(phase, tally, false)));
        return freed;
    }

    private static void add(Map<Phase, Tally> tallies, Phase phase, long buffers, long bytes) {
        Tally tally = tallies.computeIfAbsent(phase, unused -> new Tally());
        tally.buffers += buffers;
        tally.bytes += bytes;
    }

    private static FreedMemory row(Phase phase, Tally tally, boolean beforeCheck) {
        return new FreedMemory(Optional.empty(), phase, beforeCheck, tally.buffers, tally.bytes);
    }
}
