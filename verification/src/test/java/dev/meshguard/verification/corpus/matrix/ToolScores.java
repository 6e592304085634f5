package dev.meshguard.verification.corpus.matrix;

import dev.meshguard.verdict.Outcome;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** Counts how often each reading of the runs was right about missing memory. */
public final class ToolScores {

    /**
     * The ground truth of a run.
     *
     * @param isMemoryMissing whether memory is missing
     * @param shows whether what is read shows it; otherwise a reading can only guess
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

    /** Counts what a verdict says, which may be that it cannot be known. */
    public void count(String reading, Truth truth, Outcome outcome) {
        Score score = of(reading);
        boolean saysLeak = outcome == Outcome.LEAKED || outcome == Outcome.FREED_LATE;
        if (outcome == Outcome.INCONCLUSIVE) {
            score.cannotSay++;
            score.leaksThatItCannotSay += truth.isMemoryMissing() ? 1 : 0;
        } else if (truth.isMemoryMissing()) {
            score.leaks += saysLeak ? 1 : 0;
            score.missed += !saysLeak && truth.shows() ? 1 : 0;
            score.unseenLeaks += !saysLeak && !truth.shows() ? 1 : 0;
        } else {
            score.clean += saysLeak ? 0 : 1;
            score.falseAlarms += saysLeak && truth.shows() ? 1 : 0;
            score.unseenFrees += saysLeak && !truth.shows() ? 1 : 0;
        }
    }

    /** Returns, of the runs that a reading calls leak and in which something shows whether they are, the share that is right. */
    public double shareOfShownThatIsRight(String reading) {
        return of(reading).shareOfShownThatIsRight();
    }

    /** Returns how many leaks a reading misses although something shows them. */
    public int missed(String reading) {
        return of(reading).missed;
    }

    private Score of(String reading) {
        return scores.computeIfAbsent(reading, unused -> new Score());
    }

    /** Returns the scores as a table in Markdown. */
    public String table() {
        StringBuilder table = new StringBuilder("""
                | reading | right | leak where there is none | the same, but its lines are a leak's | misses a leak | misses what left nothing | cannot be known | leaks among these | right if it says leak |
                | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
                """);
        scores.forEach((reading, score) -> table.append(String.format(
                Locale.ROOT,
                "| %s | %d | %d | %d | %d | %d | %d | %d | %.1f %% |\n",
                reading,
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
