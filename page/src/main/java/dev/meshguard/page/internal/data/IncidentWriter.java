package dev.meshguard.page.internal.data;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.meshguard.event.shortage.MemoryShortage;
import dev.meshguard.report.Finding;
import dev.meshguard.report.VerdictReport;
import dev.meshguard.text.Quantities;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Writes the incidents of a run into the data of its page: overwritten buffers and the like, in the words of the report, and the memory
 * that had no room.
 */
final class IncidentWriter {

    private final VerdictReport report;

    IncidentWriter(RunFigures figures) {
        this.report = figures.report();
    }

    void write(JsonGenerator json) throws IOException {
        JsonParts.objects("incidents", report.incidents(), json, section -> {
            json.writeStringField("headline", section.headline());
            facts(section.facts(), json);
            JsonParts.objects("findings", section.findings(), json, finding -> {
                json.writeStringField("title", finding.title());
                Columns.texts("sites", finding.sites(), json);
                facts(finding.facts(), json);
            });
        });
        Optional<MemoryShortage> shortage = report.shortage();
        if (shortage.isPresent() && shortage.get().hasAddresses()) {
            space(shortage.get(), json);
        }
    }

    private static void facts(List<Finding.Fact> facts, JsonGenerator json) throws IOException {
        JsonParts.objects("facts", facts, json, fact -> {
            json.writeStringField("name", fact.name());
            json.writeStringField("text", fact.text());
        });
    }

    private void space(MemoryShortage shortage, JsonGenerator json) throws IOException {
        json.writeObjectFieldStart("shortage");
        json.writeStringField("type", shortage.type().name());
        json.writeNumberField("needed", shortage.needed());
        json.writeBooleanField("isRange", shortage.reason() == MemoryShortage.Reason.OCCUPIED);
        json.writeNumberField("start", shortage.start());
        json.writeNumberField("end", shortage.end());
        Map<MemoryShortage.Block, MemoryShortage.Holder> holders = shortage.holdersByBlock();
        JsonParts.objects("blocks", shortage.blocks(), json, block -> {
            json.writeNumberField("start", block.start());
            json.writeNumberField("size", block.size());
            json.writeStringField("text", Quantities.size(block.size()) + ", " + holders.get(block));
        });
        json.writeEndObject();
    }
}
