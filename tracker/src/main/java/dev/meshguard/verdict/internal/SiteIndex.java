package dev.meshguard.verdict.internal;

import dev.meshguard.event.Origin;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.verdict.AllocationSite;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** The sites of buffers, and the origin of each site; the call site of an origin is computed once. */
public final class SiteIndex {

    private final Map<Origin, Optional<String>> callSites = new HashMap<>();
    private final Map<AllocationSite, Origin> origins = new HashMap<>();

    /** Returns the site of a buffer. */
    public AllocationSite siteOf(BufferGeneration buffer) {
        Optional<Origin> origin = buffer.origin();
        AllocationSite site = AllocationSite.of(
                buffer, origin.flatMap(known -> callSites.computeIfAbsent(known, AllocationSite::callSiteOf)));
        origin.filter(known -> !known.frames().isEmpty()).ifPresent(known -> origins.putIfAbsent(site, known));
        return site;
    }

    /** Returns the place that requested the first buffer of a site for which one was captured. */
    public Optional<Origin> originOf(AllocationSite site) {
        return Optional.ofNullable(origins.get(site));
    }
}
