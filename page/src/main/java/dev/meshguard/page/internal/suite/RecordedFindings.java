package dev.meshguard.page.internal.suite;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.meshguard.page.internal.data.RunFigures;
import dev.meshguard.report.findings.FindingRecord;
import dev.meshguard.verdict.SurvivorStatus;
import java.io.IOException;
import java.util.List;

/**
 * The findings in the record of one run, which the overview page groups with those of other runs.
 *
 * <p>A record has at most {@value #MAX_FINDINGS}, the largest ones, and the number of the others.
 */
final class RecordedFindings {

    static final int MAX_FINDINGS = 50;

    private RecordedFindings() {}

    static void write(RunFigures figures, JsonGenerator json) throws IOException {
        List<FindingRecord> all = FindingRecord.of(
                figures.report().survivors().stream()
                        .filter(finding -> finding.status() != SurvivorStatus.EXPECTED)
                        .toList(),
                List.of());
        json.writeArrayFieldStart("findings");
        for (FindingRecord finding : all.subList(0, Math.min(MAX_FINDINGS, all.size()))) {
            write(finding, json);
        }
        json.writeEndArray();
        if (all.size() > MAX_FINDINGS) {
            json.writeNumberField("findingsOmitted", all.size() - MAX_FINDINGS);
        }
    }

    private static void write(FindingRecord finding, JsonGenerator json) throws IOException {
        json.writeStartObject();
        json.writeStringField("fingerprint", finding.fingerprint());
        json.writeStringField("cause", finding.cause());
        json.writeStringField("status", finding.status());
        if (finding.line().isPresent()) {
            json.writeStringField("site", finding.line().get());
        }
        json.writeStringField("type", finding.type().name());
        json.writeNumberField("buffers", finding.buffers());
        json.writeNumberField("bytes", finding.bytes());
        json.writeEndObject();
    }
}
