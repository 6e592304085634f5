package dev.meshguard.junit.internal.check;

import dev.meshguard.report.VerdictReport;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.SurvivorGroup;
import dev.meshguard.verdict.SurvivorStatus;
import dev.meshguard.verdict.baseline.Fingerprint;
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
        LeakVerdict verdict = report.verdict();
        List<SurvivorGroup> left = Stream.of(
                        SurvivorStatus.LEAKED, SurvivorStatus.FREED_LATE, SurvivorStatus.MISREPORTED)
                .flatMap(status -> verdict.groups(status).stream())
                .toList();
        Map<String, String> pairs = new LinkedHashMap<>();
        pairs.put("meshguard.outcome", verdict.outcome().name());
        if (!left.isEmpty()) {
            pairs.put("meshguard.leaks", Integer.toString(left.size()));
            pairs.put("meshguard.buffers", Long.toString(sum(left)));
            pairs.put(
                    "meshguard.causes",
                    description(left.stream().map(group -> group.cause().name())));
            pairs.put(
                    "meshguard.fingerprints",
                    description(left.stream()
                            .limit(MAX_FINGERPRINTS)
                            .map(group -> Fingerprint.of(group).toString())));
        }
        report.page().ifPresent(place -> pairs.put("meshguard.page", place));
        report.reproduction().ifPresent(command -> pairs.put("meshguard.reproduce", command));
        return pairs;
    }

    private static long sum(List<SurvivorGroup> left) {
        return left.stream().mapToLong(SurvivorGroup::buffers).sum();
    }

    private static String description(Stream<String> all) {
        return all.distinct().collect(Collectors.joining(" "));
    }
}
