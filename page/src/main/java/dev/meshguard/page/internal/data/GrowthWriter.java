package dev.meshguard.page.internal.data;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.Origin;
import dev.meshguard.event.SourceVocabulary;
import dev.meshguard.report.AccumulationReport;
import dev.meshguard.report.internal.Alike;
import dev.meshguard.report.internal.DeviceNames;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.growth.Accumulation;
import dev.meshguard.verdict.growth.MemoryGrowth;
import dev.meshguard.verdict.growth.RoundVector;
import dev.meshguard.verdict.growth.Rounds;
import dev.meshguard.verdict.growth.SiteGrowth;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** Writes the growth over repeated rounds into the data of a page: that of each memory, and that of each call site. */
final class GrowthWriter {

    private static final int MAX_SITES = 500;
    private static final int MAX_ROUNDS = 1_000;

    /**
     * A line of the chart, and a row of its table.
     *
     * @param units the words for the amounts if these are numbers of units, not bytes
     * @param amounts the growth on each device
     * @param times on how many devices it is the same
     */
    private record Line(
            String name, Optional<String> site, Optional<SourceVocabulary> units, RoundVector amounts, int times) {

        static Line of(Alike<MemoryGrowth> alike) {
            MemoryGrowth memory = alike.first();
            return new Line(DeviceNames.memory(alike), Optional.empty(), memory.units(), memory.amounts(), 1);
        }

        static Line of(SiteGrowth site) {
            return new Line(
                    site.name(),
                    site.origin().flatMap(Origin::site).map(Object::toString),
                    Optional.of(site.words()).filter(words -> site.isOfUnknownSize()),
                    site.amounts(),
                    site.devices().size());
        }
    }

    private final Accumulation growth;
    private final int[] rounds;

    private GrowthWriter(Accumulation growth) {
        this.growth = growth;
        int count = Math.min(growth.rounds(), MAX_ROUNDS);
        this.rounds = IntStream.range(0, count)
                .map(i -> count == 1 ? 1 : 1 + (int) ((long) i * (growth.rounds() - 1) / (count - 1)))
                .toArray();
    }

    /** Returns the judged growth, or else that of rounds in the history. */
    static Optional<GrowthWriter> of(RunFigures figures) {
        LeakVerdict verdict = figures.verdict();
        return figures.growth()
                .or(() -> hasRounds(verdict) ? Optional.of(Accumulation.of(verdict, Rounds.MARKED)) : Optional.empty())
                .filter(growth -> growth.rounds() > 0)
                .map(GrowthWriter::new);
    }

    private static boolean hasRounds(LeakVerdict verdict) {
        return !verdict.history().events(HistoryEvent.RoundEnded.class).isEmpty();
    }

    void write(JsonGenerator json, TruncationInfo shown) throws IOException {
        List<SiteGrowth> sites = growth.sites();
        json.writeObjectFieldStart("growth");
        json.writeNumberField("rounds", growth.rounds());
        json.writeNumberField("warmUp", growth.warmUp());
        json.writeStringField("trend", growth.trend().name());
        Columns.texts("text", AccumulationReport.of(growth).text().lines().toList(), json);
        Columns.numbers("round", IntStream.of(rounds).asLongStream().toArray(), json);
        JsonParts.objects(
                "memories", Alike.memories(growth).stream().map(Line::of).toList(), json, line -> write(line, json));
        JsonParts.objects(
                "sites", sites.stream().limit(MAX_SITES).map(Line::of).toList(), json, line -> write(line, json));
        json.writeEndObject();
        shown.add("growthSites", Math.min(sites.size(), MAX_SITES), sites.size());
        shown.add("growthRounds", rounds.length, growth.rounds());
    }

    private void write(Line line, JsonGenerator json) throws IOException {
        json.writeStringField("name", line.name());
        JsonParts.optional("site", line.site(), json);
        if (line.units().isPresent()) {
            SourceVocabulary words = line.units().get();
            Columns.texts("units", List.of(words.unit(), words.units()), json);
        }
        json.writeNumberField("devices", line.times());
        Columns.numbers("amounts", afterEachRound(line.amounts(), line.times()), json);
        json.writeNumberField("perRound", line.amounts().perRound() * line.times());
        json.writeStringField("trend", line.amounts().trend().name());
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
