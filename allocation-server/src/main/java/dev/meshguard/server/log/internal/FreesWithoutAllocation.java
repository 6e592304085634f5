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

    private final Map<Phase, FreedMemory> before = new LinkedHashMap<>();
    private final Map<Phase, FreedMemory> after = new LinkedHashMap<>();

    void add(Phase phase, long bytes) {
        after.merge(phase, new FreedMemory(Optional.empty(), phase, false, 1, bytes), FreedMemory::plus);
    }

    /** Marks all frees so far as before the check. */
    void checked() {
        after.forEach((phase, sum) -> before.merge(
                phase, new FreedMemory(sum.type(), phase, true, sum.buffers(), sum.bytes()), FreedMemory::plus));
        after.clear();
    }

    List<FreedMemory> freed() {
        List<FreedMemory> freed = new ArrayList<>(before.values());
        freed.addAll(after.values());
        return freed;
    }
}
