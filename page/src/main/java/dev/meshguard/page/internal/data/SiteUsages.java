package dev.meshguard.page.internal.data;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.meshguard.event.Origin;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.verdict.AllocationSite;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The memory of each site of allocation, for the comparison with another run.
 *
 * <p>Sites of two runs match as in a {@link dev.meshguard.verdict.difference.HistoryDifference}: by methods, memory and label, never
 * by address or line number.
 */
final class SiteUsages {

    static final int MAX_SITES = 5_000;

    private static final int INDEX_BITS = 24;

    /** The running sums of one site. */
    private static final class Tally {
        private final Optional<Origin> origin;
        private long buffers;
        private long liveBuffers;
        private long live;
        private long peak;

        private Tally(Optional<Origin> origin) {
            this.origin = origin;
        }

        private void add(long bytes) {
            live += bytes;
            peak = Math.max(peak, live);
        }
    }

    private final SourceRedactor redactor;
    private final IdentityHashMap<Origin, Optional<String>> callSites = new IdentityHashMap<>();
    private final Map<AllocationSite, Tally> tallies = new LinkedHashMap<>();

    SiteUsages(List<BufferGeneration> generations, SourceRedactor redactor) {
        this.redactor = redactor;
        Tally[] ofGeneration = new Tally[generations.size()];
        long[] frees = new long[generations.size()];
        int freed = 0;
        for (int i = 0; i < ofGeneration.length; i++) {
            BufferGeneration generation = generations.get(i);
            ofGeneration[i] = tallies.computeIfAbsent(siteOf(generation), unused -> new Tally(generation.origin()));
            ofGeneration[i].buffers++;
            if (generation.freedAt().isPresent()) {
                frees[freed++] = generation.freedAt().getAsLong() << INDEX_BITS | i;
            } else {
                ofGeneration[i].liveBuffers++;
            }
        }
        Arrays.sort(frees, 0, freed);
        int next = 0;
        for (int i = 0; i < ofGeneration.length; i++) {
            while (next < freed
                    && frees[next] >> INDEX_BITS < generations.get(i).allocatedAt()) {
                free(frees[next++], ofGeneration, generations);
            }
            ofGeneration[i].add(generations.get(i).size());
        }
        while (next < freed) {
            free(frees[next++], ofGeneration, generations);
        }
    }

    private static void free(long entry, Tally[] ofGeneration, List<BufferGeneration> generations) {
        int index = (int) (entry & ((1L << INDEX_BITS) - 1));
        ofGeneration[index].add(-generations.get(index).size());
    }

    private AllocationSite siteOf(BufferGeneration generation) {
        return AllocationSite.of(
                generation,
                redactor.hidesSources()
                        ? Optional.empty()
                        : generation
                                .origin()
                                .flatMap(origin -> callSites.computeIfAbsent(origin, AllocationSite::callSiteOf)));
    }

    void write(JsonGenerator json, TruncationInfo shown) throws IOException {
        List<Map.Entry<AllocationSite, Tally>> all = new ArrayList<>(tallies.entrySet());
        all.sort(Comparator.comparingLong((Map.Entry<AllocationSite, Tally> entry) -> entry.getValue().live)
                .thenComparingLong(entry -> entry.getValue().peak)
                .reversed());
        int count = Math.min(all.size(), MAX_SITES);
        json.writeArrayFieldStart("sites");
        for (Map.Entry<AllocationSite, Tally> entry : all.subList(0, count)) {
            write(entry.getKey(), entry.getValue(), json);
        }
        json.writeEndArray();
        shown.add("sites", count, all.size());
    }

    private void write(AllocationSite site, Tally tally, JsonGenerator json) throws IOException {
        json.writeStartObject();
        json.writeStringField("type", site.type().name());
        optional("label", site.label().map(redactor::description), json);
        optional("methods", site.callSite(), json);
        optional("line", site.callSite().flatMap(unused -> redactor.site(tally.origin)), json);
        if (site.size().isPresent()) {
            json.writeNumberField("size", site.size().getAsLong());
        }
        json.writeNumberField("buffers", tally.buffers);
        json.writeNumberField("liveBuffers", tally.liveBuffers);
        json.writeNumberField("liveBytes", tally.live);
        json.writeNumberField("peakBytes", tally.peak);
        json.writeEndObject();
    }

    private static void optional(String field, Optional<String> text, JsonGenerator json) throws IOException {
        if (text.isPresent()) {
            json.writeStringField(field, text.get());
        }
    }
}
