package dev.meshguard.page.internal.suite;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.meshguard.event.Quantities;
import dev.meshguard.page.internal.data.RunFigures;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.SurvivorGroup;
import dev.meshguard.verdict.SurvivorStatus;
import dev.meshguard.verdict.baseline.Fingerprint;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The survivors of one run that have one fingerprint, cause, status and line, as the overview page groups them over the runs.
 *
 * <p>A record has at most {@value #MAX_FINDINGS}, the largest ones, and the number of the others.
 */
record RecordedFinding(Key key, SurvivorGroup first, long buffers, long bytes) {

    static final int MAX_FINDINGS = 50;

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
