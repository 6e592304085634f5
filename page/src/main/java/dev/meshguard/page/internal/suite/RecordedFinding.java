package dev.meshguard.page.internal.suite;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.meshguard.event.Quantities;
import dev.meshguard.page.internal.data.RunFigures;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.SurvivorGroup;
import dev.meshguard.verdict.SurvivorStatus;
import dev.meshguard.verdict.baseline.Fingerprint;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The survivors of one run that have one fingerprint, cause, status and line, as the overview page groups them over the runs.
 *
 * <p>A record has at most {@value #MAX_FINDINGS}, the largest ones, and the number of the others.
 */
record RecordedFinding(Key key, SurvivorGroup first, long buffers, long bytes) {

    static final int MAX_FINDINGS = 50;

    private static final JsonFactory JSON = new JsonFactory();

    private record Key(String fingerprint, Cause cause, SurvivorStatus status, Optional<String> site) {}

    static void write(RunFigures figures, JsonGenerator json) throws IOException {
        List<RecordedFinding> all = of(figures);
        json.writeArrayFieldStart("findings");
        for (RecordedFinding finding : all.subList(0, Math.min(MAX_FINDINGS, all.size()))) {
            finding.write(json);
        }
        json.writeEndArray();
        if (all.size() > MAX_FINDINGS) {
            json.writeNumberField("findingsOmitted", all.size() - MAX_FINDINGS);
        }
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
        Map<String, String> fields = new HashMap<>();
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String name = parser.currentName();
            parser.nextToken();
            fields.put(name, parser.getText());
            parser.skipChildren();
        }
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

    private static List<RecordedFinding> of(RunFigures figures) {
        Map<Key, RecordedFinding> findings = new LinkedHashMap<>();
        for (SurvivorGroup group : figures.verdict().groups()) {
            if (group.status() != SurvivorStatus.EXPECTED) {
                Key key = new Key(Fingerprint.of(group).digest(), group.cause(), group.status(), figures.siteOf(group));
                findings.merge(
                        key,
                        new RecordedFinding(key, group, group.buffers(), group.totalBytes()),
                        RecordedFinding::and);
            }
        }
        List<RecordedFinding> largestFirst = new ArrayList<>(findings.values());
        largestFirst.sort(Comparator.comparingLong(RecordedFinding::bytes).reversed());
        return largestFirst;
    }

    private RecordedFinding and(RecordedFinding other) {
        return new RecordedFinding(key, first, buffers + other.buffers, Quantities.saturatedSum(bytes, other.bytes));
    }

    private void write(JsonGenerator json) throws IOException {
        json.writeStartObject();
        json.writeStringField("fingerprint", key.fingerprint());
        json.writeStringField("cause", key.cause().name());
        json.writeStringField("status", key.status().name());
        if (key.site().isPresent()) {
            json.writeStringField("site", key.site().get());
        }
        json.writeStringField("type", first.type().name());
        json.writeNumberField("buffers", buffers);
        json.writeNumberField("bytes", bytes);
        json.writeEndObject();
    }
}
