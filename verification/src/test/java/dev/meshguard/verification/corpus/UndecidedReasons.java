package dev.meshguard.verification.corpus;

import dev.meshguard.verdict.Evidence;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Outcome;
import dev.meshguard.verdict.SurvivorStatus;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Counts the reasons for undecided verdicts on logs, and the runs with missing memory among them: a reason must prevent more
 * errors than it hides.
 */
final class UndecidedReasons {

    private static final class Reason {
        private final String words;
        private final String name;
        private int prevented;
        private int hidden;

        private Reason(String words, String name) {
            this.words = words;
            this.name = name;
        }

        @Override
        public String toString() {
            return String.format(Locale.ROOT, "| %s | %d | %d |\n", name, prevented, hidden);
        }
    }

    /** Each with what is in its evidence, and what the table calls it. */
    private final List<Reason> reasons = List.of(
            new Reason("reports of this address are open", "several reports of its address are open"),
            new Reason("reported twice in a row", "it was reported twice in a row, and not freed as often"),
            new Reason("reported under another device", "a later free of its address found nothing on another device"),
            new Reason("overtaken the report", "a free of it found nothing before it was reported"),
            new Reason("stack of L1 buffers", "it lies in a stack of L1 without gaps from a known base"));

    void count(LeakVerdict verdict, boolean isMemoryMissing) {
        if (verdict.outcome() != Outcome.INCONCLUSIVE) {
            return;
        }
        List<String> evidence = verdict.survivors(survivor -> survivor.status() == SurvivorStatus.UNDECIDED).stream()
                .flatMap(survivor -> survivor.diagnosis().evidence().stream())
                .map(Evidence::text)
                .toList();
        for (Reason reason : reasons) {
            if (evidence.stream().anyMatch(one -> one.contains(reason.words))) {
                reason.prevented += isMemoryMissing ? 0 : 1;
                reason.hidden += isMemoryMissing ? 1 : 0;
            }
        }
    }

    /** Returns the reasons that hide at least as many leaks as they prevent false ones. */
    List<String> useless() {
        return reasons.stream()
                .filter(reason -> reason.hidden >= reason.prevented)
                .map(reason -> reason.name)
                .toList();
    }

    /** Returns the counts as a table in Markdown. */
    String table() {
        return reasons.stream().map(Reason::toString).collect(Collectors.joining("", """
                | reason | runs without a leak | runs with a leak |
                | --- | ---: | ---: |
                """, ""));
    }
}
