package dev.meshguard.page.internal.data;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.meshguard.event.MemoryShortage;
import dev.meshguard.event.Quantities;
import dev.meshguard.report.VerdictReport;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** What happened to memory, in the words of the text, and the memory that had no room. */
final class IncidentList {

    private final VerdictReport report;
    private final SourceRedactor redactor;

    IncidentList(RunFigures figures) {
        this.report = figures.report();
        this.redactor = figures.redactor();
    }

    void write(JsonGenerator json) throws IOException {
        json.writeArrayFieldStart("incidents");
        for (VerdictReport.Section section : report.incidents()) {
            json.writeStartObject();
            json.writeStringField("headline", redactor.description(section.headline()));
            facts(section.facts(), json);
            json.writeArrayFieldStart("findings");
            for (VerdictReport.Finding finding : section.findings()) {
                json.writeStartObject();
                json.writeStringField("title", redactor.description(finding.title()));
                json.writeArrayFieldStart("sites");
                for (String site : redactor.hidesSources() ? List.<String>of() : finding.sites()) {
                    json.writeString(site);
                }
                json.writeEndArray();
                facts(finding.facts(), json);
                json.writeEndObject();
            }
            json.writeEndArray();
            json.writeEndObject();
        }
        json.writeEndArray();
        Optional<MemoryShortage> shortage = report.shortage();
        if (shortage.isPresent() && shortage.get().start().isPresent()) {
            space(shortage.get(), json);
        }
    }

    private void facts(List<VerdictReport.Fact> facts, JsonGenerator json) throws IOException {
        json.writeArrayFieldStart("facts");
        for (VerdictReport.Fact fact : facts) {
            json.writeStartObject();
            json.writeStringField("name", fact.name());
            json.writeStringField("text", redactor.description(fact.text()));
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private void space(MemoryShortage shortage, JsonGenerator json) throws IOException {
        json.writeObjectFieldStart("shortage");
        json.writeStringField("type", shortage.type().name());
        json.writeNumberField("needed", shortage.needed());
        json.writeBooleanField("isRange", shortage.reason() == MemoryShortage.Reason.OCCUPIED);
        json.writeNumberField("start", shortage.start().getAsLong());
        json.writeNumberField("end", shortage.end().getAsLong());
        json.writeArrayFieldStart("blocks");
        for (MemoryShortage.Block block : shortage.blocks()) {
            json.writeStartObject();
            json.writeNumberField("start", block.start());
            json.writeNumberField("size", block.size());
            json.writeStringField(
                    "text", redactor.description(Quantities.size(block.size()) + ", " + shortage.holderOf(block)));
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeEndObject();
    }
}
