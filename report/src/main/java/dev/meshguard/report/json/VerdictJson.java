package dev.meshguard.report.json;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import dev.meshguard.event.Owner;
import dev.meshguard.event.SourceVocabulary;
import dev.meshguard.event.shortage.MemoryShortage;
import dev.meshguard.file.FileReplacement;
import dev.meshguard.history.Anomaly;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.history.MemorySnapshot.MemoryKey;
import dev.meshguard.history.Timeline;
import dev.meshguard.report.Caveat;
import dev.meshguard.report.ExpectationSnippets;
import dev.meshguard.report.Finding;
import dev.meshguard.report.VerdictReport;
import dev.meshguard.report.internal.JsonPart;
import dev.meshguard.report.internal.JsonSettings;
import dev.meshguard.verdict.Evidence;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Overwrite;
import dev.meshguard.verdict.PhaseUsage;
import dev.meshguard.verdict.Survivor;
import dev.meshguard.verdict.SurvivorGroup;
import dev.meshguard.verdict.baseline.Fingerprint;
import dev.meshguard.verdict.expectation.ExpectationResult;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Writes a verdict as one JSON document.
 *
 * <p>A view of the same report as the text of a failure, so the two never disagree. It contains the findings as data
 * with the numbers of their events, the sentences of the text, and the limits as {@code caveats}, each with a kind. The
 * format is version {@value #VERSION}; {@code verdict-2.schema.json} beside this class describes it, and
 * {@code docs/formats.md} describes the guarantees.
 *
 * <p>Always UTF-8, and the same in every locale. Numbers are integers of up to 64 bits.
 *
 * <pre>{@code
 * VerdictJson.write(VerdictReport.of(verdict), Path.of("verdict.json"));
 * }</pre>
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class VerdictJson {

    /** The written version. */
    public static final int VERSION = 2;

    /** Incremented when a field is added. */
    static final int MINOR = 0;

    private static final String FORMAT = "meshguard-verdict";

    private static final JsonPart<Evidence> EVIDENCE =
            JsonPart.record(Evidence.class, JsonPart.text("text"), JsonPart.numbers("events"));
    private static final JsonPart<List<Finding.Fact>> FACTS = JsonPart.objects(
            "facts", JsonPart.record(Finding.Fact.class, JsonPart.text("name"), JsonPart.text("text")));
    private static final JsonPart<Optional<ExpectationSnippets.ExpectationSnippet>> SNIPPET = JsonPart.object(
                    "expectationSnippet",
                    JsonPart.record(
                            ExpectationSnippets.ExpectationSnippet.class,
                            JsonPart.text("annotation"),
                            JsonPart.text("line")))
            .optional();

    /** Writes the fields of one element of a list. */
    @FunctionalInterface
    private interface Writing<T> {
        void write(T element) throws IOException;
    }

    private final VerdictReport report;
    private final LeakVerdict verdict;
    private final JsonGenerator json;

    private VerdictJson(VerdictReport report, JsonGenerator json) {
        this.report = report;
        this.verdict = report.verdict();
        this.json = json;
    }

    /** Writes a verdict to a file, replacing an existing one. */
    public static void write(VerdictReport report, Path file) throws IOException {
        FileReplacement.writeText(file, writer -> write(report, writer));
    }

    /** Writes a verdict; the writer is flushed and stays open. A writer that encodes must encode as UTF-8. */
    public static void write(VerdictReport report, Writer writer) throws IOException {
        DefaultIndenter lines = new DefaultIndenter("  ", "\n");
        try (JsonGenerator json = JsonSettings.factory().createGenerator(writer)) {
            json.setPrettyPrinter(
                    new DefaultPrettyPrinter().withObjectIndenter(lines).withArrayIndenter(lines));
            new VerdictJson(report, json).write();
        }
        writer.write('\n');
        writer.flush();
    }

    /** Returns the document. */
    public static String text(VerdictReport report) {
        StringWriter text = new StringWriter();
        try {
            write(report, text);
        } catch (IOException e) {
            throw new UncheckedIOException("A text in memory cannot be written", e);
        }
        return text.toString();
    }

    private void write() throws IOException {
        json.writeStartObject();
        field("format", FORMAT);
        field("version", VERSION);
        field("minor", MINOR);
        field("outcome", verdict.outcome());
        field("leakFree", verdict.isLeakFree());
        field("balancedReports", verdict.hasBalancedReports());
        object("sum", verdict.sum(), this::sum);
        objects("totals", verdict.totals().entrySet(), this::total);
        objects("groups", verdict.groups(), this::group);
        objects("anomalies", verdict.anomalies(), this::anomaly);
        objects("overwrites", verdict.overwrites(), this::overwrite);
        objects("expectations", verdict.expectations(), this::expectation);
        objects("phases", verdict.phaseUsages(), this::phase);
        optionalObject("shortage", report.shortage(), this::shortage);
        objects("caveats", Caveat.of(verdict), this::caveat);
        object("report", report, this::description);
        json.writeEndObject();
    }

    private void sum(LeakVerdict.Sum sum) throws IOException {
        field("allocated", sum.allocated());
        field("freed", sum.freed());
        field("late", sum.late());
        field("leaked", sum.leaked());
        field("misreported", sum.misreported());
        field("expected", sum.expected());
        field("undecided", sum.undecided());
    }

    private void total(Map.Entry<MemoryKey, Timeline.Section> total) throws IOException {
        field("type", total.getKey().type());
        field("lifetime", total.getKey().lifetime());
        field("allocatedBuffers", total.getValue().allocatedBuffers());
        field("allocatedBytes", total.getValue().allocatedBytes());
        field("liveBuffers", total.getValue().liveBuffers());
        field("liveBytes", total.getValue().liveBytes());
    }

    private void group(SurvivorGroup group) throws IOException {
        field("cause", group.cause());
        field("status", group.status());
        field("fingerprint", Fingerprint.of(group).toString());
        field("fix", verdict.fixOf(group));
        field("type", group.type());
        field("size", group.size());
        field("bytes", group.bytes());
        field("devices", group.devices());
        SourceVocabulary words =
                verdict.history().vocabularyOf(group.first().buffer().request());
        EventForms.VOCABULARY.write(
                Optional.of(words).filter(own -> own.memory().isPresent()), json);
        field("label", group.label());
        optionalObject("origin", group.origin(), origin -> EventForms.FRAMES.write(origin, json));
        JsonPart.objects("evidence", EVIDENCE).write(group.evidence(), json);
        JsonPart.objects("context", EVIDENCE).write(group.circumstances(), json);
        objects("buffers", group.survivors(), survivor -> survivor(survivor, group));
        objects("consequences", group.consequences(), this::group);
    }

    private void survivor(Survivor survivor, SurvivorGroup group) throws IOException {
        BufferGeneration buffer = survivor.buffer();
        EventForms.MEMORY_DEVICE.write(buffer.device(), json);
        field("address", buffer.address());
        field("generation", buffer.generation());
        field("allocatedIn", buffer.allocatedIn().name());
        field("kind", buffer.kind());
        field("lifetime", buffer.lifetime());
        EventForms.OWNER.optional().write(buffer.owner(), json);
        JsonPart.optionalInteger("mesh").write(buffer.mesh(), json);
        EventForms.ALLOCATOR.write(buffer.allocator(), json);
        field("expectedBy", survivor.expectation());
        objects("openReports", survivor.reports(), this::openReport);
        // If it is the same for all of them, it is written once.
        if (!survivor.diagnosis().evidence().equals(group.evidence())) {
            JsonPart.objects("evidence", EVIDENCE).write(survivor.diagnosis().evidence(), json);
        }
    }

    private void openReport(BufferGeneration.Report open) throws IOException {
        field("event", open.allocatedAt());
        field("size", open.size());
        field("ownership", open.ownership());
    }

    private void anomaly(Anomaly anomaly) throws IOException {
        field("kind", anomaly.kind());
        field("text", anomaly.kind().description());
        field("unbalancesLedger", anomaly.kind().unbalancesLedger());
        field("event", anomaly.event().number());
        EventForms.MEMORY_DEVICE.write(anomaly.device(), json);
        field("type", anomaly.type());
        field("address", anomaly.address());
        optionalObject("buffer", anomaly.generation(), buffer -> {
            field("generation", buffer.generation());
            field("allocatedAt", buffer.allocatedAt());
        });
    }

    private void overwrite(Overwrite overwrite) throws IOException {
        BufferGeneration buffer = overwrite.buffer();
        field("kind", overwrite.kind());
        EventForms.MEMORY_DEVICE.write(buffer.device(), json);
        field("type", buffer.type());
        field("address", buffer.address());
        field("generation", buffer.generation());
        field("size", buffer.size());
        field("allocatedAt", buffer.allocatedAt());
        field("label", buffer.label());
        field("trace", overwrite.trace().map(Owner::toString));
        field("writtenFor", overwrite.writer().map(BufferGeneration.Report::allocatedAt));
        field("event", overwrite.event().number());
        field("times", overwrite.times());
        field("bytes", overwrite.bytes());
        field("expectedBy", overwrite.expectation());
    }

    private void expectation(ExpectationResult result) throws IOException {
        field("text", result.expectation().toString());
        field("result", result.kind());
        field("matchedBuffers", result.matchedBuffers());
        field("matchedBytes", result.matchedBytes());
        field("rejectedBuffers", result.rejectedBuffers());
    }

    private void phase(PhaseUsage usage) throws IOException {
        field("phase", usage.phase().name());
        field("peakBytes", usage.peakBytes());
        field("liveBytes", usage.liveBytes());
    }

    private void shortage(MemoryShortage shortage) throws IOException {
        field("type", shortage.type());
        field("reason", shortage.reason());
        field("neededBytes", shortage.needed());
        field("freeBytes", shortage.free());
        field("largestFreeBytes", shortage.largestFree());
        objects("holders", shortage.holders(), this::holder);
        optionalObject("room", shortage.room(), room -> {
            field("start", room.start());
            field("end", room.end());
            field("bytes", room.bytes());
            objects("holders", room.holders(), this::holder);
        });
    }

    private void holder(MemoryShortage.Holder holder) throws IOException {
        field("text", holder.toString());
        field("buffers", holder.buffers());
        field("bytes", holder.bytes());
        field("label", holder.label());
        EventForms.OWNER.optional().write(holder.owner(), json);
        field("line", holder.line());
        field("test", holder.test());
    }

    private void caveat(Caveat caveat) throws IOException {
        field("kind", caveat.kind());
        field("makesInconclusive", caveat.makesInconclusive());
        field("text", caveat.text());
        field("events", caveat.events());
    }

    /** The sentences of the text. */
    private void description(VerdictReport described) throws IOException {
        objects("sections", described.sections(), section -> {
            field("headline", section.headline());
            FACTS.write(section.facts(), json);
            objects("findings", section.findings(), this::finding);
        });
        field("expectations", described.expectations());
        SNIPPET.write(described.expectationSnippet(), json);
        field("notes", described.notes());
        field("reproduction", described.reproduction());
        field("text", described.text().lines().toList());
    }

    private void finding(Finding finding) throws IOException {
        field("title", finding.title());
        field("sites", finding.sites());
        FACTS.write(finding.facts(), json);
        field("buffers", finding.buffers());
    }

    private void field(String name, Object value) throws IOException {
        JsonSettings.write(name, value, json);
    }

    /** Writes a field, or none if the value is unknown. */
    private void field(String name, Optional<?> value) throws IOException {
        if (value.isPresent()) {
            field(name, value.get());
        }
    }

    private <T> void object(String name, T element, Writing<T> writing) throws IOException {
        json.writeObjectFieldStart(name);
        writing.write(element);
        json.writeEndObject();
    }

    /** Writes an object, or none if the element is unknown. */
    private <T> void optionalObject(String name, Optional<T> element, Writing<T> writing) throws IOException {
        if (element.isPresent()) {
            object(name, element.get(), writing);
        }
    }

    private <T> void objects(String name, Collection<T> elements, Writing<T> writing) throws IOException {
        json.writeArrayFieldStart(name);
        for (T element : elements) {
            json.writeStartObject();
            writing.write(element);
            json.writeEndObject();
        }
        json.writeEndArray();
    }
}
