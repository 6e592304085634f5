package dev.meshguard.report.json;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import dev.meshguard.event.MemoryShortage;
import dev.meshguard.event.Owner;
import dev.meshguard.event.SourceVocabulary;
import dev.meshguard.history.Anomaly;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.report.Caveat;
import dev.meshguard.report.Finding;
import dev.meshguard.report.VerdictReport;
import dev.meshguard.verdict.Evidence;
import dev.meshguard.verdict.InconclusiveReason;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Overwrite;
import dev.meshguard.verdict.PhaseUsage;
import dev.meshguard.verdict.Survivor;
import dev.meshguard.verdict.SurvivorGroup;
import dev.meshguard.verdict.baseline.Fingerprint;
import dev.meshguard.verdict.expectation.ExpectationResult;
import java.io.IOException;
import java.io.Writer;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** Writes one verdict; each method writes one kind of object, each line one field. */
final class VerdictWriter {

    private static final String FORMAT = "meshguard-verdict";

    /** Writes the fields of one element of a list. */
    @FunctionalInterface
    private interface Writing<T> {
        void write(T element) throws IOException;
    }

    private final VerdictReport report;
    private final LeakVerdict verdict;
    private final Writer writer;
    private final JsonGenerator json;

    VerdictWriter(VerdictReport report, Writer writer) throws IOException {
        this.report = report;
        this.verdict = report.verdict();
        this.writer = writer;
        this.json = JsonFormat.factory().createGenerator(writer);
        DefaultIndenter lines = new DefaultIndenter("  ", "\n");
        json.setPrettyPrinter(
                new DefaultPrettyPrinter().withObjectIndenter(lines).withArrayIndenter(lines));
    }

    void write() throws IOException {
        try (json) {
            json.writeStartObject();
            json.writeStringField("format", FORMAT);
            json.writeNumberField("version", VerdictJson.VERSION);
            json.writeNumberField("minor", VerdictJson.MINOR);
            JsonFormat.write(json, "outcome", verdict.outcome());
            json.writeBooleanField("leakFree", verdict.isLeakFree());
            json.writeBooleanField("balancedReports", verdict.hasBalancedReports());
            sum(verdict.sum());
            objects("totals", verdict.totals(), this::total);
            objects("groups", verdict.groups(), this::group);
            objects("anomalies", verdict.anomalies(), this::anomaly);
            objects("overwrites", verdict.overwrites(), this::overwrite);
            objects("expectations", verdict.expectations(), this::expectation);
            objects("phases", verdict.phaseUsages(), this::phase);
            if (report.shortage().isPresent()) {
                shortage(report.shortage().get());
            }
            caveats();
            description();
            json.writeEndObject();
        }
        writer.write('\n');
        writer.flush();
    }

    private void sum(LeakVerdict.Sum sum) throws IOException {
        json.writeObjectFieldStart("sum");
        json.writeNumberField("allocated", sum.allocated());
        json.writeNumberField("freed", sum.freed());
        json.writeNumberField("late", sum.late());
        json.writeNumberField("leaked", sum.leaked());
        json.writeNumberField("misreported", sum.misreported());
        json.writeNumberField("expected", sum.expected());
        json.writeNumberField("undecided", sum.undecided());
        json.writeBooleanField("addsUp", sum.addsUp());
        json.writeEndObject();
    }

    private void total(LeakVerdict.TypeTotal total) throws IOException {
        JsonFormat.write(json, "type", total.type());
        JsonFormat.write(json, "lifetime", total.lifetime());
        json.writeNumberField("allocatedBuffers", total.allocatedBuffers());
        json.writeNumberField("allocatedBytes", total.allocatedBytes());
        json.writeNumberField("liveBuffers", total.liveBuffers());
        json.writeNumberField("liveBytes", total.liveBytes());
    }

    private void group(SurvivorGroup group) throws IOException {
        JsonFormat.write(json, "cause", group.cause());
        JsonFormat.write(json, "status", group.status());
        json.writeStringField("fingerprint", Fingerprint.of(group).toString());
        json.writeStringField("remedy", verdict.remedyOf(group));
        JsonFormat.write(json, "type", group.type());
        json.writeNumberField("size", group.size());
        json.writeNumberField("bytes", group.bytes());
        EventForm.integers(json, "devices", group.devices());
        SourceVocabulary words =
                verdict.history().vocabularyOf(group.first().buffer().request());
        if (words.memory().isPresent()) {
            EventForm.vocabulary(json, words);
        }
        text("label", group.label());
        if (group.origin().isPresent()) {
            json.writeObjectFieldStart("origin");
            SharedLines.frames(group.origin().get(), json);
            json.writeEndObject();
        }
        objects("evidence", group.evidence(), this::evidence);
        objects("context", group.context(), this::evidence);
        objects("buffers", group.survivors(), survivor -> survivor(survivor, group));
        objects("consequences", group.consequences(), this::group);
    }

    private void survivor(Survivor survivor, SurvivorGroup group) throws IOException {
        BufferGeneration buffer = survivor.buffer();
        EventForm.device(json, buffer.device());
        json.writeNumberField("address", buffer.address());
        json.writeNumberField("generation", buffer.generation());
        json.writeStringField("allocatedIn", buffer.allocatedIn().name());
        JsonFormat.write(json, "kind", buffer.kind());
        JsonFormat.write(json, "lifetime", buffer.lifetime());
        if (buffer.owner().isPresent()) {
            EventForm.owner(json, buffer.owner().get());
        }
        integer("mesh", buffer.mesh());
        EventForm.allocator(json, buffer.allocator());
        text("expectedBy", survivor.expectation().map(Object::toString));
        objects("openReports", survivor.reports(), this::openReport);
        // If it is the same for all of them, it is written once.
        if (!survivor.diagnosis().evidence().equals(group.evidence())) {
            objects("evidence", survivor.diagnosis().evidence(), this::evidence);
        }
    }

    private void openReport(BufferGeneration.Report open) throws IOException {
        json.writeNumberField("event", open.allocatedAt());
        json.writeNumberField("size", open.size());
        JsonFormat.write(json, "ownership", open.ownership());
    }

    private void evidence(Evidence evidence) throws IOException {
        json.writeStringField("text", evidence.text());
        events(evidence.events());
    }

    private void anomaly(Anomaly anomaly) throws IOException {
        JsonFormat.write(json, "kind", anomaly.kind());
        json.writeStringField("text", anomaly.kind().description());
        json.writeBooleanField("unbalancesLedger", anomaly.kind().unbalancesLedger());
        json.writeNumberField("event", anomaly.event().number());
        EventForm.device(json, anomaly.device());
        JsonFormat.write(json, "type", anomaly.type());
        json.writeNumberField("address", anomaly.address());
        if (anomaly.generation().isPresent()) {
            json.writeObjectFieldStart("buffer");
            json.writeNumberField("generation", anomaly.generation().get().generation());
            json.writeNumberField("allocatedAt", anomaly.generation().get().allocatedAt());
            json.writeEndObject();
        }
    }

    private void overwrite(Overwrite overwrite) throws IOException {
        BufferGeneration buffer = overwrite.buffer();
        JsonFormat.write(json, "kind", overwrite.kind());
        EventForm.device(json, buffer.device());
        JsonFormat.write(json, "type", buffer.type());
        json.writeNumberField("address", buffer.address());
        json.writeNumberField("generation", buffer.generation());
        json.writeNumberField("size", buffer.size());
        json.writeNumberField("allocatedAt", buffer.allocatedAt());
        text("label", buffer.label());
        text("trace", overwrite.trace().map(Owner::toString));
        if (overwrite.writer().isPresent()) {
            json.writeNumberField("writtenFor", overwrite.writer().get().allocatedAt());
        }
        json.writeNumberField("event", overwrite.event().number());
        json.writeNumberField("times", overwrite.times());
        json.writeNumberField("bytes", overwrite.bytes());
        text("expectedBy", overwrite.expectation().map(Object::toString));
    }

    private void expectation(ExpectationResult result) throws IOException {
        json.writeStringField("text", result.expectation().toString());
        JsonFormat.write(json, "result", result.kind());
        json.writeNumberField("matchedBuffers", result.matchedBuffers());
        json.writeNumberField("matchedBytes", result.matchedBytes());
        json.writeNumberField("rejectedBuffers", result.rejectedBuffers());
    }

    private void phase(PhaseUsage usage) throws IOException {
        json.writeStringField("phase", usage.phase().name());
        json.writeNumberField("peakBytes", usage.peakBytes());
        json.writeNumberField("liveBytes", usage.liveBytes());
        objects("flows", usage.flows().entrySet(), flow -> {
            EventForm.device(json, flow.getKey().device());
            JsonFormat.write(json, "type", flow.getKey().type());
            json.writeNumberField("allocatedBytes", flow.getValue().allocatedBytes());
            json.writeNumberField("freedBytes", flow.getValue().freedBytes());
            json.writeNumberField("liveBytes", flow.getValue().liveBytes());
            json.writeNumberField("liveBuffers", flow.getValue().liveBuffers());
        });
    }

    private void shortage(MemoryShortage shortage) throws IOException {
        json.writeObjectFieldStart("shortage");
        JsonFormat.write(json, "type", shortage.type());
        JsonFormat.write(json, "reason", shortage.reason());
        json.writeNumberField("neededBytes", shortage.needed());
        json.writeNumberField("freeBytes", shortage.free());
        json.writeNumberField("largestFreeBytes", shortage.largestFree());
        objects("holders", shortage.holders(), this::holder);
        if (shortage.room().isPresent()) {
            MemoryShortage.Room room = shortage.room().get();
            json.writeObjectFieldStart("room");
            json.writeNumberField("start", room.start());
            json.writeNumberField("end", room.end());
            json.writeNumberField("bytes", room.bytes());
            objects("holders", room.holders(), this::holder);
            json.writeEndObject();
        }
        json.writeEndObject();
    }

    private void holder(MemoryShortage.Holder holder) throws IOException {
        json.writeStringField("text", holder.toString());
        json.writeNumberField("buffers", holder.buffers());
        json.writeNumberField("bytes", holder.bytes());
        text("label", holder.label());
        if (holder.owner().isPresent()) {
            EventForm.owner(json, holder.owner().get());
        }
        text("line", holder.line().map(StackTraceElement::toString));
        text("test", holder.test());
    }

    /** Reasons for an inconclusive outcome come first: they determine the outcome. */
    private void caveats() throws IOException {
        json.writeArrayFieldStart("caveats");
        for (InconclusiveReason reason : verdict.inconclusiveReasons()) {
            json.writeStartObject();
            JsonFormat.write(json, "kind", reason.kind());
            json.writeBooleanField("makesInconclusive", true);
            json.writeStringField("text", reason.text());
            events(reason.events());
            json.writeEndObject();
        }
        for (Caveat limit : report.limits()) {
            json.writeStartObject();
            JsonFormat.write(json, "kind", limit.kind());
            json.writeBooleanField("makesInconclusive", false);
            json.writeStringField("text", limit.text());
            events(List.of());
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    /** The sentences of the text. */
    private void description() throws IOException {
        json.writeObjectFieldStart("report");
        objects("sections", report.sections(), section -> {
            json.writeStringField("headline", section.headline());
            objects("facts", section.facts(), this::fact);
            objects("findings", section.findings(), this::finding);
        });
        EventForm.texts(json, "expectations", report.expectations());
        if (report.expectationSnippet().isPresent()) {
            json.writeObjectFieldStart("expectationSnippet");
            json.writeStringField(
                    "annotation", report.expectationSnippet().get().annotation());
            json.writeStringField("line", report.expectationSnippet().get().line());
            json.writeEndObject();
        }
        EventForm.texts(json, "notes", report.notes());
        EventForm.texts(json, "histograms", report.histograms());
        text("reproduction", report.reproduction());
        EventForm.texts(json, "text", report.text().lines().toList());
        json.writeEndObject();
    }

    private void finding(Finding finding) throws IOException {
        json.writeStringField("title", finding.title());
        EventForm.texts(json, "sites", finding.sites());
        objects("facts", finding.facts(), this::fact);
        json.writeNumberField("buffers", finding.buffers());
    }

    private void fact(VerdictReport.Fact fact) throws IOException {
        json.writeStringField("name", fact.name());
        json.writeStringField("text", fact.text());
    }

    private void events(List<Long> events) throws IOException {
        json.writeFieldName("events");
        json.writeArray(events.stream().mapToLong(Long::longValue).toArray(), 0, events.size());
    }

    private <T> void objects(String field, Collection<T> elements, Writing<T> writing) throws IOException {
        json.writeArrayFieldStart(field);
        for (T element : elements) {
            json.writeStartObject();
            writing.write(element);
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private void text(String field, Optional<String> text) throws IOException {
        if (text.isPresent()) {
            json.writeStringField(field, text.get());
        }
    }

    private void integer(String field, OptionalInt number) throws IOException {
        if (number.isPresent()) {
            json.writeNumberField(field, number.getAsInt());
        }
    }
}
