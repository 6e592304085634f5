package dev.meshguard.verification.corpus;

import dev.meshguard.verdict.Evidence;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Outcome;
import dev.meshguard.verdict.SurvivorStatus;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Counts the reasons for undecided verdicts on logs, and the runs with missing memory among them: a reason must prevent more
 * errors than it hides.
 */
final class UndecidedReasons {

    /** What is in the evidence of each reason, and what the table calls it. */
    private static final Map<String, String> REASONS = reasons();

    private static final class Count {
        private int prevented;
        private int hidden;
    }

    private final Map<String, Count> counts = new LinkedHashMap<>();

    UndecidedReasons() {
        REASONS.values().forEach(reason -> counts.put(reason, new Count()));
    }

    private static Map<String, String> reasons() {
        Map<String, String> reasons = new LinkedHashMap<>();
        reasons.put("reports of this address are open", "several reports of its address are open");
        reasons.put("reported twice in a row", "it was reported twice in a row, and not freed as often");
        reasons.put("reported under another device", "a later free of its address found nothing on another device");
        reasons.put("overtaken the report", "a free of it found nothing before it was reported");
        reasons.put("stack of L1 buffers", "it lies in a stack of L1 without gaps from a known base");
        return reasons;
    }

    void count(LeakVerdict verdict, boolean isMemoryMissing) {
        if (verdict.outcome() != Outcome.INCONCLUSIVE) {
            return;
        }
        List<String> evidence = verdict.survivors(survivor -> survivor.status() == SurvivorStatus.UNDECIDED).stream()
                .flatMap(survivor -> survivor.diagnosis().evidence().stream())
                .map(Evidence::text)
                .toList();
        REASONS.forEach((words, reason) -> {
            if (evidence.stream().anyMatch(one -> one.contains(words))) {
                Count count = counts.get(reason);
                count.prevented += isMemoryMissing ? 0 : 1;
                count.hidden += isMemoryMissing ? 1 : 0;
            }
        });
    }

    /** Returns the reasons that hide at least as many leaks as they prevent false ones. */
    List<String> useless() {
        return counts.entrySet().stream()
                .filter(count -> count.getValue().hidden >= count.getValue().prevented)
                .map(Map.Entry::getKey)
                .toList();
    }

    /** Returns the counts as a table in Markdown. */
    String table() {
        StringBuilder table = new StringBuilder("""
                | reason | runs without a leak | runs with a leak |
                | --- | ---: | ---: |
                """);
        counts.forEach((reason, count) ->
                table.append(String.format(Locale.ROOT, "| %s | %d | %d |\n", reason, count.prevented, count.hidden)));
        return table.toString();
    }
}
