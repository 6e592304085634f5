package dev.meshguard.page.internal.data;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.Origin;
import dev.meshguard.report.AccumulationReport;
import dev.meshguard.verdict.AllocationSite;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.SurvivorGroup;
import dev.meshguard.verdict.baseline.Fingerprint;
import dev.meshguard.verdict.growth.Accumulation;
import dev.meshguard.verdict.growth.RoundVector;
import dev.meshguard.verdict.growth.Rounds;
import dev.meshguard.verdict.growth.SiteGrowth;
import dev.meshguard.verdict.growth.Trend;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/** Writes the growth over repeated rounds into the data of a page: that of each memory, and that of each call site. */
final class GrowthFigures {

    private static final int MAX_SITES = 500;
    private static final int MAX_ROUNDS = 1_000;

    private final LeakVerdict verdict;
    private final Accumulation growth;
    private final int[] rounds;

    private GrowthFigures(LeakVerdict verdict, Accumulation growth) {
        this.verdict = verdict;
        this.growth = growth;
        int count = Math.min(growth.rounds(), MAX_ROUNDS);
        this.rounds = IntStream.range(0, count)
                .map(i -> count == 1 ? 1 : 1 + (int) ((long) i * (growth.rounds() - 1) / (count - 1)))
                .toArray();
    }

    /** Returns the judged growth, or else that of rounds in the history. */
    static Optional<GrowthFigures> of(RunFigures figures) {
        LeakVerdict verdict = figures.verdict();
        return figures.growth()
                .or(() -> hasRounds(verdict) ? Optional.of(Accumulation.of(verdict, Rounds.MARKED)) : Optional.empty())
                .filter(growth -> growth.rounds() > 0)
                .map(growth -> new GrowthFigures(verdict, growth));
    }

    private static boolean hasRounds(LeakVerdict verdict) {
        return !verdict.history().events(HistoryEvent.RoundEnded.class).isEmpty();
    }

    void write(JsonGenerator json, TruncationInfo shown) throws IOException {
        List<SiteGrowth> sites = growth.sites();
        int shownSites = Math.min(sites.size(), MAX_SITES);
        json.writeObjectFieldStart("growth");
        json.writeNumberField("rounds", growth.rounds());
        json.writeNumberField("warmUp", growth.warmUp());
        json.writeStringField("trend", growth.trend().name());
        Columns.texts("text", AccumulationReport.of(growth).text().lines().toList(), json);
        Columns.numbers("round", IntStream.of(rounds).asLongStream().toArray(), json);
        memories(json);
        Map<AllocationSite, Fingerprint> fingerprints = fingerprints();
        JsonParts.objects(
                "sites",
                sites.subList(0, shownSites),
                json,
                site -> site(site, Optional.ofNullable(fingerprints.get(site.site())), json));
        json.writeEndObject();
        shown.add("growthSites", shownSites, sites.size());
        shown.add("growthRounds", rounds.length, growth.rounds());
    }

    private void memories(JsonGenerator json) throws IOException {
        JsonParts.objects("memories", growth.memory(), json, memory -> {
            json.writeStringField("name", memory.memory().toString());
            json.writeNumberField("device", MeshGrid.number(memory.memory().device()));
            json.writeStringField("type", memory.memory().type().name());
            Columns.numbers("memory", afterEachRound(memory.bytes(), 1), json);
            json.writeStringField("trend", memory.bytes().trend().name());
            json.writeNumberField("slopeBytesPerRound", memory.bytes().perRound());
        });
    }

    private void site(SiteGrowth site, Optional<Fingerprint> fingerprint, JsonGenerator json) throws IOException {
        int devices = site.devices().size();
        JsonParts.optional("fingerprint", fingerprint.map(Fingerprint::toString), json);
        json.writeStringField("name", site.site().toString());
        json.writeStringField("type", site.site().type().name());
        Columns.numbers(
                "devices", site.devices().stream().mapToLong(Integer::longValue).toArray(), json);
        Columns.numbers("memory", afterEachRound(site.bytes(), devices), json);
        Columns.numbers("buffers", afterEachRound(site.buffers(), devices), json);
        json.writeNumberField("slopeBytesPerRound", slope(site) * devices);
        json.writeStringField("trend", site.trend().name());
        JsonParts.optional("site", site.origin().flatMap(Origin::site).map(Object::toString), json);
    }

    private long slope(SiteGrowth site) {
        int counted = growth.rounds() - growth.warmUp();
        if (site.bytes().trend() != Trend.GROWING || counted < 1) {
            return 0;
        }
        long sum = site.bytes().amounts().tailMap(growth.warmUp() + 1).values().stream()
                .mapToLong(Long::longValue)
                .sum();
        return (sum + counted - 1) / counted;
    }

    private Map<AllocationSite, Fingerprint> fingerprints() {
        Map<AllocationSite, Fingerprint> fingerprints = new HashMap<>();
        for (SurvivorGroup group : verdict.groups()) {
            fingerprints.putIfAbsent(AllocationSite.of(group.first().buffer()), Fingerprint.of(group));
        }
        return fingerprints;
    }

    /** A round's amount is its change; a curve shows the total. */
    private long[] afterEachRound(RoundVector added, int times) {
        long[] there = new long[rounds.length];
        long sum = 0;
        int next = 0;
        for (int round = 1; round <= growth.rounds() && next < rounds.length; round++) {
            sum += added.retainedBy(round);
            if (round == rounds[next]) {
                there[next++] = sum * times;
            }
        }
        return there;
    }
}
