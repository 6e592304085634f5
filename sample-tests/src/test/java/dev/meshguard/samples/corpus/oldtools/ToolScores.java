package dev.meshguard.samples.corpus.oldtools;

import dev.meshguard.verdict.Outcome;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** Counts how often each tool was right about missing memory. */
public final class ToolScores {

    /**
     * The ground truth of a run, the same for every tool.
     *
     * @param isMemoryMissing whether memory is missing
     * @param shows whether the log shows it; otherwise a tool can only guess
     */
    public record Truth(boolean isMemoryMissing, boolean shows) {}

    private static final class Score {
        private int leaks;
        private int clean;
        private int falseAlarms;
        private int unseenFrees;
        private int missed;
        private int unseenLeaks;
        private int cannotSay;
        private int leaksThatItCannotSay;

        /** Of the runs called leak, and of which something shows whether they are, the share that is right. */
        private double shareOfShownThatIsRight() {
            return leaks / (double) Math.max(1, leaks + falseAlarms);
        }

        private double shareOfCalledThatIsRight() {
            return leaks / (double) Math.max(1, leaks + falseAlarms + unseenFrees);
        }
    }

    private final Map<String, Score> scores = new LinkedHashMap<>();

    /** Counts what a reading says. */
    public void count(String tool, Truth truth, boolean saysLeak) {
        Score score = of(tool);
        if (truth.isMemoryMissing()) {
            score.leaks += saysLeak ? 1 : 0;
            score.missed += !saysLeak && truth.shows() ? 1 : 0;
            score.unseenLeaks += !saysLeak && !truth.shows() ? 1 : 0;
        } else {
            score.clean += saysLeak ? 0 : 1;
            score.falseAlarms += saysLeak && truth.shows() ? 1 : 0;
            score.unseenFrees += saysLeak && !truth.shows() ? 1 : 0;
        }
    }

    /** Counts what a verdict says, which may be that it cannot be known. */
    public void count(String tool, Truth truth, Outcome outcome) {
        if (outcome == Outcome.INCONCLUSIVE) {
            Score score = of(tool);
            score.cannotSay++;
            score.leaksThatItCannotSay += truth.isMemoryMissing() ? 1 : 0;
        } else {
            count(tool, truth, outcome == Outcome.LEAKED || outcome == Outcome.FREED_LATE);
        }
    }

    /** Returns, of the runs that a reading calls leak and in which something shows whether they are, the share that is right. */
    public double shareOfShownThatIsRight(String tool) {
        return of(tool).shareOfShownThatIsRight();
    }

    /** Returns how many leaks a reading misses although something shows them. */
    public int missed(String tool) {
        return of(tool).missed;
    }

    private Score of(String tool) {
        return scores.computeIfAbsent(tool, unused -> new Score());
    }

    /** Returns the scores as a table in Markdown. */
    public String table() {
        StringBuilder table = new StringBuilder("""
                | reading | right | leak where there is none | the same, but its lines are a leak's | misses a leak | misses what left nothing | cannot be known | leaks among these | right if it says leak |
                | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
                """);
        scores.forEach((tool, score) -> table.append(String.format(
                Locale.ROOT,
                "| %s | %d | %d | %d | %d | %d | %d | %d | %.1f %% |\n",
                tool,
                score.leaks + score.clean,
                score.falseAlarms,
                score.unseenFrees,
                score.missed,
                score.unseenLeaks,
                score.cannotSay,
                score.leaksThatItCannotSay,
                100 * score.shareOfCalledThatIsRight())));
        return table.toString();
    }
}
