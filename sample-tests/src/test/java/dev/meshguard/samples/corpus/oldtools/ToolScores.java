package dev.meshguard.samples.corpus.oldtools;

import dev.meshguard.verdict.Outcome;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** How often each reading was right about whether memory is missing. */
public final class ToolScores {

    private static final class Score {
        private int right;
        private int falseAlarms;
        private int missed;
        private int cannotSay;
    }

    private final Map<String, Score> scores = new LinkedHashMap<>();

    /** Counts what a reading says. */
    public void count(String tool, boolean memoryIsMissing, boolean saysLeak) {
        Score score = scores.computeIfAbsent(tool, unused -> new Score());
        if (memoryIsMissing == saysLeak) {
            score.right++;
        } else if (saysLeak) {
            score.falseAlarms++;
        } else {
            score.missed++;
        }
    }

    /** Counts what a verdict says, which may be that it cannot be known. */
    public void count(String tool, boolean memoryIsMissing, Outcome outcome) {
        if (outcome == Outcome.INCONCLUSIVE) {
            scores.computeIfAbsent(tool, unused -> new Score()).cannotSay++;
        } else {
            count(tool, memoryIsMissing, outcome == Outcome.LEAKED);
        }
    }

    /** Returns the scores as a table in Markdown. */
    public String table() {
        StringBuilder table = new StringBuilder("""
                | reading | right | says leak where there is none | misses a leak | says that it cannot be known |
                | --- | ---: | ---: | ---: | ---: |
                """);
        scores.forEach((tool, score) -> table.append(String.format(
                Locale.ROOT,
                "| %s | %d | %d | %d | %d |\n",
                tool,
                score.right,
                score.falseAlarms,
                score.missed,
                score.cannotSay)));
        return table.toString();
    }
}
