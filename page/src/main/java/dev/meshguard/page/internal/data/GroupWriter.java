package dev.meshguard.page.internal.data;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.Origin;
import dev.meshguard.event.Reachability;
import dev.meshguard.event.SourceVocabulary;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.report.BufferTimeline;
import dev.meshguard.report.ExpectationSnippets;
import dev.meshguard.report.SurvivorFinding;
import dev.meshguard.report.VerdictReport;
import dev.meshguard.text.Quantities;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.Evidence;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Survivor;
import dev.meshguard.verdict.SurvivorGroup;
import dev.meshguard.verdict.SurvivorStatus;
import dev.meshguard.verdict.baseline.Fingerprint;
import java.io.IOException;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Writes the groups of survivors, with all that their page shows about each, and their sums by cause. */
final class GroupWriter {

    /** A timeline requires a search of all events, so only the first groups, which are the worst, have one. */
    private static final long MAX_EVENTS_READ = 20_000_000;

    private static final int MIN_TIMELINES = 10;

    private final VerdictReport report;
    private final LeakVerdict verdict;
    private final ExpectationSnippets snippets;
    private final FindingParts grouped;
    private final int digits;

    /** The results of the searches for handles, by the numbers of their events. */
    private final Map<Long, Reachability> searches;

    GroupWriter(RunFigures figures, FindingParts grouped) {
        this.report = figures.report();
        this.verdict = figures.verdict();
        this.snippets = ExpectationSnippets.of(verdict);
        this.grouped = grouped;
        this.digits = Fingerprint.digitsOf(grouped.entries().stream()
                .map(entry -> entry.part().fingerprint())
                .toList());
        this.searches = verdict.history().events(HistoryEvent.HandleTraced.class).stream()
                .collect(Collectors.toMap(HistoryEvent.HandleTraced::number, HistoryEvent.HandleTraced::reachability));
    }

    /** Returns the numbers of all events that evidence refers to. */
    Set<Long> namedEvents() {
        Set<Long> named = new HashSet<>();
        for (FindingParts.Entry entry : grouped.entries()) {
            SurvivorGroup group = entry.part().group();
            group.evidence().forEach(evidence -> named.addAll(evidence.events()));
            group.circumstances().forEach(evidence -> named.addAll(evidence.events()));
        }
        verdict.inconclusiveReasons().forEach(reason -> named.addAll(reason.events()));
        return named;
    }

    void writeCauses(JsonGenerator json) throws IOException {
        EnumMap<Cause, long[]> sums = new EnumMap<>(Cause.class);
        for (SurvivorGroup group : verdict.groups()) {
            if (group.status() != SurvivorStatus.EXPECTED) {
                long[] sum = sums.computeIfAbsent(group.cause(), unused -> new long[3]);
                sum[0]++;
                sum[1] += group.buffers();
                sum[2] = Quantities.saturatedSum(sum[2], group.totalBytes());
            }
        }
        JsonParts.objects("causes", sums.entrySet(), json, sum -> {
            json.writeStringField("cause", sum.getKey().name());
            json.writeNumberField("groups", sum.getValue()[0]);
            json.writeNumberField("buffers", sum.getValue()[1]);
            json.writeNumberField("bytes", sum.getValue()[2]);
        });
    }

    void writeLargest(JsonGenerator json) throws IOException {
        if (grouped.largest().isEmpty()) {
            return;
        }
        FindingParts.Largest largest = grouped.largest().get();
        json.writeObjectFieldStart("largest");
        json.writeNumberField("group", largest.place());
        json.writeNumberField("of", largest.of());
        json.writeNumberField("bytes", largest.finding().bytes());
        json.writeNumberField("buffers", largest.finding().buffers());
        json.writeEndObject();
    }

    void write(JsonGenerator json, AllocationRectangles rectangles, TruncationInfo shown) throws IOException {
        AllocationHistory history = verdict.history();
        long timelines =
                Math.max(MIN_TIMELINES, MAX_EVENTS_READ / (history.events().size() + 1L));
        json.writeArrayFieldStart("groups");
        for (FindingParts.Entry entry : grouped.entries()) {
            json.writeStartObject();
            json.writeStringField("number", entry.number());
            write(entry.part(), json);
            List<BufferGeneration> buffers = entry.part().group().survivors().stream()
                    .map(Survivor::buffer)
                    .toList();
            Columns.numbers("buffers", rectangles.indexesOf(buffers), json);
            if (timelines-- > 0) {
                Columns.texts("timeline", timeline(history, buffers.get(0)), json);
            }
            List<String> callers = entry.finding().map(GroupWriter::callersOf).orElse(List.of());
            if (!callers.isEmpty()) {
                Columns.texts("callers", callers, json);
            }
            if (entry.foldedInto() != FindingParts.NONE) {
                json.writeNumberField("foldedInto", entry.foldedInto());
            }
            entry(
                    "findingEntry",
                    entry.finding()
                            .filter(finding -> finding.parts().size() > 1)
                            .flatMap(snippets::narrowest),
                    json);
            if (entry.consequenceOf() != FindingParts.NONE) {
                json.writeNumberField("consequenceOf", entry.consequenceOf());
            }
            json.writeEndObject();
        }
        json.writeEndArray();
        shown.add("groups", grouped.entries().size(), grouped.all());
    }

    /** Returns the callers that tell what one line allocated apart, as the text names them. */
    private static List<String> callersOf(SurvivorFinding finding) {
        return finding.status() == SurvivorStatus.LEAKED || finding.status() == SurvivorStatus.FREED_LATE
                ? finding.sites().stream().skip(1).toList()
                : List.of();
    }

    private void write(SurvivorFinding.Part part, JsonGenerator json) throws IOException {
        SurvivorGroup group = part.group();
        json.writeStringField("cause", group.cause().name());
        json.writeStringField("status", group.status().name());
        json.writeStringField(
                "baseline", part.isKnown() ? "known" : part.baseline().isPresent() ? "new" : "none");
        json.writeStringField("fingerprint", part.fingerprint().abbreviated(digits));
        JsonParts.optional("fix", verdict.fixOf(group), json);
        SourceVocabulary words =
                verdict.history().vocabularyOf(group.first().buffer().request());
        json.writeStringField("type", words.memory().orElse(group.type().name()));
        Columns.texts("units", List.of(words.unit(), words.units()), json);
        json.writeNumberField("size", group.size());
        json.writeNumberField("bytes", group.bytes());
        json.writeNumberField("count", group.survivors().size());
        Columns.numbers(
                "devices",
                group.devices().stream().mapToLong(Integer::longValue).toArray(),
                json);
        JsonParts.optional("label", group.label(), json);
        json.writeStringField("phase", group.first().buffer().allocatedIn().name());
        JsonParts.optional("site", group.origin().flatMap(Origin::site).map(Object::toString), json);
        Columns.texts("frames", group.origin().map(StackTree::frames).orElse(List.of()), json);
        Optional<Reachability> held = chainOf(group);
        if (held.isPresent()) {
            Columns.texts("chain", held.get().path(), json);
            OptionalInt holder = held.get().holder();
            if (holder.isPresent()) {
                json.writeNumberField("holder", holder.getAsInt());
            }
        }
        evidence("evidence", group.evidence(), json);
        evidence("context", group.circumstances(), json);
        entry("entry", snippets.narrowest(group), json);
    }

    /** Returns the references that hold the first buffer; empty if they are unknown. */
    private Optional<Reachability> chainOf(SurvivorGroup group) {
        return group.cause() != Cause.HELD
                ? Optional.empty()
                : group.evidence().stream()
                        .flatMap(evidence -> evidence.events().stream())
                        .flatMap(event -> Stream.ofNullable(searches.get(event)))
                        .filter(found -> !found.path().isEmpty())
                        .findFirst();
    }

    /** A test that failed for lack of memory may not have reached the code that frees it: then nothing is expected. */
    private void entry(String field, Optional<ExpectationSnippets.ExpectationSnippet> entry, JsonGenerator json)
            throws IOException {
        if (entry.isEmpty() || report.shortage().isPresent()) {
            return;
        }
        json.writeObjectFieldStart(field);
        if (!report.isExpectedByFileOnly()) {
            json.writeStringField("annotation", entry.get().annotation());
        }
        json.writeStringField("line", entry.get().line());
        json.writeEndObject();
    }

    private static List<String> timeline(AllocationHistory history, BufferGeneration buffer) {
        String text = BufferTimeline.of(history, buffer).text();
        return text.replace("\n   at ", " at ").lines().toList();
    }

    private static void evidence(String field, List<Evidence> facts, JsonGenerator json) throws IOException {
        JsonParts.objects(field, facts, json, fact -> {
            json.writeStringField("text", fact.text());
            Columns.numbers(
                    "events", fact.events().stream().mapToLong(Long::longValue).toArray(), json);
        });
    }
}
