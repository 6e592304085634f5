package dev.meshguard.junit.internal.check;

import dev.meshguard.report.Finding;
import dev.meshguard.report.SurvivorFinding;
import dev.meshguard.report.VerdictReport;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A failure as a few key-value pairs for reports, by which tools group failures; the text is the failure's own. */
final class FailureEntry {

    private static final int MAX_FINGERPRINTS = 10;

    private FailureEntry() {}

    static Map<String, String> of(VerdictReport report) {
        List<SurvivorFinding> defects = report.survivors().stream()
                .filter(finding -> finding.status().isDefect())
                .toList();
        Map<String, String> pairs = new LinkedHashMap<>();
        pairs.put("meshguard.outcome", report.verdict().outcome().name());
        if (!defects.isEmpty()) {
            pairs.put("meshguard.leaks", Integer.toString(defects.size()));
            pairs.put(
                    "meshguard.buffers",
                    Long.toString(defects.stream().mapToLong(Finding::buffers).sum()));
            pairs.put(
                    "meshguard.causes",
                    description(defects.stream().map(finding -> finding.cause().name())));
            pairs.put(
                    "meshguard.fingerprints",
                    description(defects.stream()
                            .flatMap(finding -> finding.parts().stream())
                            .limit(MAX_FINGERPRINTS)
                            .map(part -> part.fingerprint().toString())));
        }
        report.page().ifPresent(page -> pairs.put("meshguard.page", page));
        report.reproduction().ifPresent(command -> pairs.put("meshguard.reproduce", command));
        return pairs;
    }

    private static String description(Stream<String> all) {
        return all.distinct().collect(Collectors.joining(" "));
    }
}
