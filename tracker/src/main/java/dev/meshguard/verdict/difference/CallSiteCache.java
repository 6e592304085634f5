package dev.meshguard.verdict.difference;

import dev.meshguard.event.Origin;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.verdict.AllocationSite;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;

/** Caches call sites while the allocations of a history are visited. */
final class CallSiteCache {

    private final Map<Origin, Optional<String>> callSites = new HashMap<>();
    private final Map<AllocationSite, Origin> origins = new LinkedHashMap<>();

    /** Passes every allocation to an action, oldest first. */
    void forEach(AllocationHistory history, BiConsumer<AllocationSite, BufferGeneration> action) {
        for (BufferGeneration buffer : history.generations()) {
            Optional<Origin> origin = buffer.origin();
            AllocationSite site = AllocationSite.of(
                    buffer, origin.flatMap(known -> callSites.computeIfAbsent(known, AllocationSite::callSiteOf)));
            origin.filter(known -> !known.frames().isEmpty()).ifPresent(known -> origins.putIfAbsent(site, known));
            action.accept(site, buffer);
        }
    }

    /** Returns the place that requested the oldest buffer of a site, if it was captured. */
    Optional<Origin> originOf(AllocationSite site) {
        return Optional.ofNullable(origins.get(site));
    }
}
