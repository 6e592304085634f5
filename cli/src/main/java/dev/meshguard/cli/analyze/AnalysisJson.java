package dev.meshguard.cli.analyze;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.StreamWriteFeature;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import dev.meshguard.capture.OutputFormat;
import dev.meshguard.capture.RemainingBuffer;
import dev.meshguard.capture.RuntimeOutput;
import dev.meshguard.capture.evidence.MemoryReport;
import dev.meshguard.capture.evidence.SharedMemory;
import dev.meshguard.report.VerdictReport;
import dev.meshguard.report.json.VerdictJson;
import dev.meshguard.server.log.AddressUse;
import dev.meshguard.server.log.AllocationLog;
import dev.meshguard.server.log.FreedMemory;
import dev.meshguard.server.log.UnreadLines;
import dev.meshguard.verdict.growth.Accumulation;
import java.io.IOException;
import java.io.Writer;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.List;

/** The JSON output of {@code analyze}: one document for all files, those of a kind in the order of the command line. */
final class AnalysisJson {

    private static final int VERSION = 1;

    /** Writes the fields of one element of a list. */
    @FunctionalInterface
    private interface Writing<T> {
        void write(T element) throws IOException;
    }

    private final JsonGenerator json;
    private final Writer writer;
    private final IdentityHashMap<Analysis, String> verdicts = new IdentityHashMap<>();

    AnalysisJson(Writer writer) throws IOException {
        this.writer = writer;
        this.json =
                new JsonFactory().createGenerator(writer).disable(StreamWriteFeature.AUTO_CLOSE_TARGET.mappedFeature());
        DefaultIndenter indenter = new DefaultIndenter("  ", "\n");
        json.setPrettyPrinter(
                new DefaultPrettyPrinter().withObjectIndenter(indenter).withArrayIndenter(indenter));
    }

    void write(List<Analysis> analyses) throws IOException {
        // They take the most heap, so they are made before anything is written: half a document would look like a whole
        // one.
        for (Analysis analysis : analyses) {
            if (analysis instanceof JudgedAnalysis judged) {
                verdicts.put(judged, verdict(judged.report()));
            } else if (analysis instanceof HistoryAnalysis history) {
                verdicts.put(history, verdict(history.report()));
            }
        }
        try (json) {
            json.writeStartObject();
            json.writeStringField("format", "meshguard-analysis");
            json.writeNumberField("version", VERSION);
            objects("logs", of(LogAnalysis.class, analyses), this::log);
            histories(of(HistoryAnalysis.class, analyses));
            outputs("captures", OutputFormat.GRAPH_CAPTURE, analyses);
            outputs("databases", OutputFormat.REPORT_DATABASE, analyses);
            evidence(of(EvidenceAnalysis.class, analyses));
            json.writeEndObject();
        }
        writer.write('\n');
        writer.flush();
    }

    private static <A extends Analysis> List<A> of(Class<A> kind, List<Analysis> analyses) {
        return analyses.stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    private void histories(List<HistoryAnalysis> histories) throws IOException {
        if (!histories.isEmpty()) {
            objects("histories", histories, this::history);
        }
    }

    private void outputs(String name, OutputFormat format, List<Analysis> analyses) throws IOException {
        List<OutputAnalysis> outputs = of(OutputAnalysis.class, analyses).stream()
                .filter(analysis -> analysis.output().format() == format)
                .toList();
        if (!outputs.isEmpty()) {
            objects(name, outputs, this::output);
        }
    }

    private void evidence(List<EvidenceAnalysis> analyses) throws IOException {
        List<EvidenceAnalysis> reports = analyses.stream()
                .filter(analysis -> analysis.file() instanceof MemoryReport)
                .toList();
        if (!reports.isEmpty()) {
            objects("memoryReports", reports, this::memoryReport);
        }
        List<EvidenceAnalysis> shared = analyses.stream()
                .filter(analysis -> analysis.file() instanceof SharedMemory)
                .toList();
        if (!shared.isEmpty()) {
            objects("sharedMemory", shared, this::sharedMemory);
        }
    }

    private void memoryReport(EvidenceAnalysis analysis) throws IOException {
        MemoryReport report = (MemoryReport) analysis.file();
        json.writeStringField("memoryReport", report.name());
        json.writeStringField("status", analysis.status().name());
        json.writeBooleanField("rounded", report.isRounded());
        if (report.programs().isPresent()) {
            json.writeNumberField("programs", report.programs().getAsInt());
        }
        objects("memories", report.memories(), this::memory);
        texts("notes", report.notes());
    }

    private void memory(MemoryReport.ReportedMemory memory) throws IOException {
        json.writeStringField("type", memory.type().name());
        if (memory.banks().isPresent()) {
            json.writeNumberField("banks", memory.banks().getAsInt());
        }
        if (memory.all().isPresent()) {
            amounts("allBanks", memory.all().get());
        }
        if (memory.bank().isPresent()) {
            amounts("bank", memory.bank().get());
        }
        if (memory.largestFree().isPresent()) {
            json.writeNumberField("largestFree", memory.largestFree().getAsLong());
        }
        if (memory.buffers().isPresent()) {
            objects("blocks", memory.blocks(), block -> {
                json.writeNumberField("address", block.address());
                json.writeNumberField("size", block.size());
                json.writeBooleanField("allocated", block.isAllocated());
            });
        }
    }

    private void amounts(String field, MemoryReport.Amounts amounts) throws IOException {
        json.writeObjectFieldStart(field);
        json.writeNumberField("allocatable", amounts.allocatable());
        json.writeNumberField("allocated", amounts.allocated());
        json.writeNumberField("free", amounts.free());
        json.writeEndObject();
    }

    private void sharedMemory(EvidenceAnalysis analysis) throws IOException {
        SharedMemory memory = (SharedMemory) analysis.file();
        json.writeStringField("sharedMemory", memory.name());
        json.writeStringField("status", analysis.status().name());
        json.writeNumberField("device", memory.device());
        json.writeStringField("updated", memory.updated().toString());
        totals(memory.total());
        objects("chips", memory.chips(), chip -> {
            json.writeNumberField("chip", chip.id());
            json.writeBooleanField("remote", chip.isRemote());
            totals(chip.totals());
        });
        objects("processes", memory.processes(), process -> {
            json.writeNumberField("process", process.processId());
            json.writeStringField("command", process.command());
            json.writeStringField("processStatus", process.status().name());
            json.writeStringField("updated", process.updated().toString());
            totals(process.totals());
        });
    }

    private void totals(SharedMemory.Totals totals) throws IOException {
        json.writeObjectFieldStart("allocated");
        json.writeNumberField("DRAM", totals.dram());
        json.writeNumberField("L1", totals.l1());
        json.writeNumberField("L1_SMALL", totals.l1Small());
        json.writeNumberField("TRACE", totals.trace());
        json.writeNumberField("circularBuffers", totals.circularBuffers());
        json.writeEndObject();
    }

    private void output(OutputAnalysis analysis) throws IOException {
        RuntimeOutput output = analysis.output();
        boolean isCapture = output.format() == OutputFormat.GRAPH_CAPTURE;
        json.writeStringField(isCapture ? "capture" : "database", output.name());
        json.writeStringField("status", analysis.status().name());
        if (output.rank().isPresent()) {
            json.writeNumberField("rank", output.rank().getAsInt());
        }
        json.writeNumberField(isCapture ? "nodes" : "operations", output.records());
        json.writeNumberField("reports", output.reports());
        if (analysis.accumulation().isPresent()) {
            rounds(analysis.accumulation().get());
        }
        objects("remaining", output.remaining(), this::remaining);
        verdict(analysis);
    }

    private void remaining(RemainingBuffer buffer) throws IOException {
        if (buffer.node().isPresent()) {
            json.writeNumberField("node", buffer.node().getAsInt());
        }
        json.writeNumberField("device", buffer.device());
        json.writeStringField("type", buffer.type().name());
        if (buffer.address().isPresent()) {
            json.writeNumberField("address", buffer.address().getAsLong());
        }
        json.writeNumberField("size", buffer.size());
        if (buffer.operation().isPresent()) {
            json.writeStringField("operation", buffer.operation().get());
        }
        if (buffer.origin().isPresent()) {
            texts(
                    "origin",
                    buffer.origin().get().frames().stream()
                            .map(StackTraceElement::toString)
                            .toList());
        }
        objects("tensors", buffer.tensors(), this::tensor);
    }

    private void tensor(RemainingBuffer.Tensor tensor) throws IOException {
        if (tensor.node().isPresent()) {
            json.writeNumberField("node", tensor.node().getAsInt());
        }
        if (tensor.id().isPresent()) {
            json.writeNumberField("id", tensor.id().getAsLong());
        }
        if (tensor.shape().isPresent()) {
            json.writeStringField("shape", tensor.shape().get());
        }
        texts("users", tensor.users());
    }

    private void log(LogAnalysis analysis) throws IOException {
        AllocationLog log = analysis.log();
        json.writeStringField("log", log.name());
        json.writeStringField("status", analysis.status().name());
        json.writeNumberField("lines", log.lines());
        json.writeNumberField("reports", log.reports());
        texts("dialects", log.dialects().stream().sorted().map(Enum::name).toList());
        json.writeNumberField("comparedStatistics", log.comparedStatistics());
        json.writeNumberField("differingStatistics", log.differingStatistics());
        if (log.lastDump().isPresent()) {
            json.writeNumberField("lastDumpLine", log.lastDump().getAsLong());
        }
        if (analysis.accumulation().isPresent()) {
            rounds(analysis.accumulation().get());
        }
        objects("freed", log.freed(), this::freed);
        objects("addresses", log.addresses(), this::address);
        unread(log.unread());
        eventLines(log);
        verdict(analysis);
    }

    private void history(HistoryAnalysis analysis) throws IOException {
        json.writeStringField("history", analysis.name());
        json.writeStringField("status", analysis.status().name());
        json.writeNumberField("events", analysis.events());
        verdict(analysis);
    }

    private static String verdict(VerdictReport report) {
        return VerdictJson.text(report).strip();
    }

    private void verdict(Analysis analysis) throws IOException {
        json.writeFieldName("verdict");
        json.writeRawValue(verdicts.getOrDefault(analysis, ""));
    }

    private void rounds(Accumulation accumulation) throws IOException {
        json.writeObjectFieldStart("rounds");
        json.writeNumberField("count", accumulation.rounds());
        json.writeStringField("trend", accumulation.trend().name());
        texts("doubts", accumulation.inconclusiveReasons());
        json.writeEndObject();
    }

    private void freed(FreedMemory freed) throws IOException {
        if (freed.type().isPresent()) {
            json.writeStringField("type", freed.type().get().name());
        }
        json.writeStringField("phase", freed.phase().name());
        json.writeBooleanField("beforeCheck", freed.beforeCheck());
        json.writeNumberField("buffers", freed.buffers());
        json.writeNumberField("bytes", freed.bytes());
    }

    private void address(AddressUse use) throws IOException {
        json.writeNumberField("device", use.device());
        json.writeNumberField("address", use.address());
        if (use.type().isPresent()) {
            json.writeStringField("type", use.type().get().name());
        }
        json.writeNumberField("allocated", use.allocated());
        json.writeNumberField("freed", use.freed());
        json.writeNumberField("unknownFrees", use.unknownFrees());
        json.writeNumberField("largestSize", use.largestSize());
        json.writeNumberField("sizeChanges", use.sizeChanges());
        json.writeBooleanField("processDied", use.processDied());
        json.writeNumberField("firstLine", use.firstLine());
        json.writeNumberField("lastLine", use.lastLine());
    }

    private void unread(UnreadLines unread) throws IOException {
        json.writeObjectFieldStart("unread");
        json.writeNumberField("count", unread.count());
        objects("ranges", unread.ranges(), range -> {
            json.writeNumberField("first", range.first());
            json.writeNumberField("last", range.last());
        });
        objects("samples", unread.samples(), sample -> {
            json.writeNumberField("line", sample.line());
            json.writeStringField("text", sample.text());
        });
        json.writeEndObject();
    }

    /** The verdict refers to events by number; the line of event 1 comes first. */
    private void eventLines(AllocationLog log) throws IOException {
        json.writeFieldName("eventLines");
        json.writeStartArray();
        for (long event = 1; log.lineOf(event).isPresent(); event++) {
            json.writeNumber(log.lineOf(event).getAsLong());
        }
        json.writeEndArray();
    }

    private void texts(String field, List<String> texts) throws IOException {
        json.writeArrayFieldStart(field);
        for (String text : texts) {
            json.writeString(text);
        }
        json.writeEndArray();
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
}
