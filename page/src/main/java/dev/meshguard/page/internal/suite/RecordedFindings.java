package dev.meshguard.page.internal.suite;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.meshguard.page.internal.data.RunFigures;
import dev.meshguard.report.findings.FindingRecord;
import dev.meshguard.verdict.SurvivorStatus;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The findings in the record of one run, by which the overview page compares runs.
 *
 * <p>A record has at most {@value #MAX_FINDINGS}, the largest ones, and the number of the others.
 */
final class RecordedFindings {

    static final int MAX_FINDINGS = 50;

    private static final JsonFactory JSON = new JsonFactory();

    private RecordedFindings() {}

    static void write(RunFigures figures, JsonGenerator json) throws IOException {
        List<FindingRecord> all = FindingRecord.of(
                figures.verdict().groups().stream()
                        .filter(group -> group.status() != SurvivorStatus.EXPECTED)
                        .toList(),
                figures::siteOf);
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

    /**
     * Reads the findings of a record.
     *
     * @param test the id of its test
     * @param into receives the findings
     * @return whether findings are omitted in the record
     */
    static boolean read(String record, String test, Map<FindingTrends.Key, FindingTrends.Found> into)
            throws IOException {
        boolean isTruncated = false;
        try (JsonParser parser = JSON.createParser(record)) {
            parser.nextToken();
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String name = parser.currentName();
                JsonToken value = parser.nextToken();
                isTruncated |= name.equals("findingsOmitted");
                if (!name.equals("findings") || value != JsonToken.START_ARRAY) {
                    parser.skipChildren();
                    continue;
                }
                while (parser.nextToken() == JsonToken.START_OBJECT) {
                    FindingTrends.Found found = read(parser, test);
                    into.merge(found.key(), found, FindingTrends.Found::and);
                }
            }
        }
        return isTruncated;
    }

    private static FindingTrends.Found read(JsonParser parser, String test) throws IOException {
        Map<String, String> fields = fields(parser);
        return new FindingTrends.Found(
                new FindingTrends.Key(
                        fields.getOrDefault("fingerprint", ""),
                        fields.getOrDefault("cause", ""),
                        fields.getOrDefault("status", ""),
                        fields.getOrDefault("site", ""),
                        fields.getOrDefault("type", "")),
                Long.parseLong(fields.getOrDefault("bytes", "0")),
                Long.parseLong(fields.getOrDefault("buffers", "0")),
                Set.of(test));
    }

    /** Returns the fields of the object that the parser has begun, as texts. */
    static Map<String, String> fields(JsonParser parser) throws IOException {
        Map<String, String> fields = new HashMap<>();
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String name = parser.currentName();
            parser.nextToken();
            fields.put(name, parser.getText());
            parser.skipChildren();
        }
        return fields;
    }
}
