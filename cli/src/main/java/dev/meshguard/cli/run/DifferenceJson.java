package dev.meshguard.cli.run;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.StreamWriteFeature;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import dev.meshguard.cli.common.ExitStatus;
import dev.meshguard.event.Origin;
import dev.meshguard.report.DifferenceReport;
import dev.meshguard.verdict.AllocationSite;
import dev.meshguard.verdict.difference.DeviceDifference;
import dev.meshguard.verdict.difference.HistoryDifference;
import dev.meshguard.verdict.difference.Usage;
import java.io.IOException;
import java.io.Writer;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The JSON output of {@code diff}: one document. */
final class DifferenceJson {

    private static final int VERSION = 2;

    private final JsonGenerator json;
    private final Writer writer;

    DifferenceJson(Writer writer) throws IOException {
        this.writer = writer;
        this.json =
                new JsonFactory().createGenerator(writer).disable(StreamWriteFeature.AUTO_CLOSE_TARGET.mappedFeature());
        DefaultIndenter indenter = new DefaultIndenter("  ", "\n");
        json.setPrettyPrinter(
                new DefaultPrettyPrinter().withObjectIndenter(indenter).withArrayIndenter(indenter));
    }

    void write(List<String> runs, ExitStatus status, HistoryDifference difference) throws IOException {
        try (json) {
            begin(runs, status);
            json.writeArrayFieldStart("changes");
            for (HistoryDifference.UsageChange change : difference.changes()) {
                json.writeStartObject();
                site(change.site(), change.origin());
                usage("before", change.before());
                usage("after", change.after());
                json.writeEndObject();
            }
            json.writeEndArray();
            json.writeArrayFieldStart("peaks");
            for (HistoryDifference.PeakChange peak : difference.peaks()) {
                json.writeStartObject();
                json.writeNumberField("device", peak.memory().device());
                json.writeStringField("type", peak.memory().type().name());
                json.writeNumberField("before", peak.before());
                json.writeNumberField("after", peak.after());
                json.writeEndObject();
            }
            json.writeEndArray();
            end(DifferenceReport.of(difference).text().lines().toList());
        }
        finish();
    }

    void write(List<String> moments, MomentDifference difference) throws IOException {
        try (json) {
            begin(moments, difference.status());
            json.writeArrayFieldStart("amounts");
            for (MomentDifference.AmountChange change : difference.changes()) {
                json.writeStartObject();
                json.writeStringField("type", change.type().name());
                json.writeStringField("what", change.what());
                json.writeNumberField("before", change.before());
                json.writeNumberField("after", change.after());
                json.writeEndObject();
            }
            json.writeEndArray();
            json.writeArrayFieldStart("blocks");
            for (MomentDifference.BlockChange change : difference.blocks()) {
                json.writeStartObject();
                json.writeStringField("type", change.type().name());
                json.writeBooleanField("isNew", change.isNew());
                json.writeNumberField("size", change.size());
                json.writeArrayFieldStart("addresses");
                for (long address : change.addresses()) {
                    json.writeNumber(address);
                }
                json.writeEndArray();
                json.writeEndObject();
            }
            json.writeEndArray();
            end(difference.lines());
        }
        finish();
    }

    void write(String run, ExitStatus status, DeviceDifference difference) throws IOException {
        try (json) {
            begin(List.of(run), status);
            json.writeArrayFieldStart("deviations");
            for (DeviceDifference.Deviation deviation : difference.deviations()) {
                json.writeStartObject();
                site(deviation.site(), deviation.origin());
                json.writeArrayFieldStart("usualDevices");
                for (int device : deviation.usualDevices()) {
                    json.writeNumber(device);
                }
                json.writeEndArray();
                usage("usual", deviation.usual());
                json.writeArrayFieldStart("others");
                for (Map.Entry<Integer, Usage> other : deviation.others().entrySet()) {
                    json.writeStartObject();
                    json.writeNumberField("device", other.getKey());
                    usage("usage", other.getValue());
                    json.writeEndObject();
                }
                json.writeEndArray();
                json.writeEndObject();
            }
            json.writeEndArray();
            end(DifferenceReport.of(difference).text().lines().toList());
        }
        finish();
    }

    private void begin(List<String> runs, ExitStatus status) throws IOException {
        json.writeStartObject();
        json.writeStringField("format", "meshguard-difference");
        json.writeNumberField("version", VERSION);
        json.writeStringField("status", status.name());
        json.writeArrayFieldStart("runs");
        for (String run : runs) {
            json.writeString(run);
        }
        json.writeEndArray();
    }

    private void site(AllocationSite site, Optional<Origin> origin) throws IOException {
        json.writeStringField("type", site.type().name());
        if (site.callSite().isPresent()) {
            json.writeStringField("callSite", site.callSite().get());
        }
        if (site.size().isPresent()) {
            json.writeNumberField("size", site.size().getAsLong());
        }
        if (site.label().isPresent()) {
            json.writeStringField("label", site.label().get());
        }
        Optional<StackTraceElement> line = origin.flatMap(Origin::site);
        if (line.isPresent()) {
            json.writeStringField("line", line.get().toString());
        }
    }

    private void usage(String field, Usage usage) throws IOException {
        json.writeObjectFieldStart(field);
        json.writeNumberField("buffers", usage.buffers());
        json.writeNumberField("bytes", usage.bytes());
        json.writeNumberField("liveBuffers", usage.liveBuffers());
        json.writeNumberField("liveBytes", usage.liveBytes());
        json.writeEndObject();
    }

    private void end(List<String> text) throws IOException {
        json.writeArrayFieldStart("text");
        for (String line : text) {
            json.writeString(line);
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    private void finish() throws IOException {
        writer.write('\n');
        writer.flush();
    }
}
