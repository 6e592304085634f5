package dev.meshguard.verification.corpus.matrix;

import dev.meshguard.verdict.Outcome;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** Counts how often one reading of the runs was right about missing memory. */
public final class ToolScore {

    private final String reading;
    private int leaks;
    private int clean;
    private int falseAlarms;
    private int unseenFrees;
    private int missed;
    private int unseenLeaks;
    private int cannotSay;
    private int leaksThatItCannotSay;

    ToolScore(String reading) {
        this.reading = reading;
    }

    /**
     * Counts what a verdict says, which may be that it cannot be known.
     *
     * @param shows whether what is read shows whether memory is missing; otherwise a reading can only guess
     */
    public void count(boolean isMemoryMissing, boolean shows, Outcome outcome) {
        boolean saysLeak = outcome == Outcome.LEAKED || outcome == Outcome.FREED_LATE;
        if (outcome == Outcome.INCONCLUSIVE) {
            cannotSay++;
            leaksThatItCannotSay += isMemoryMissing ? 1 : 0;
        } else if (isMemoryMissing) {
            leaks += saysLeak ? 1 : 0;
            missed += !saysLeak && shows ? 1 : 0;
            unseenLeaks += !saysLeak && !shows ? 1 : 0;
        } else {
            clean += saysLeak ? 0 : 1;
            falseAlarms += saysLeak && shows ? 1 : 0;
            unseenFrees += saysLeak && !shows ? 1 : 0;
        }
    }

    /** Returns, of the runs that are called leak and in which something shows whether they are, the share that is right. */
    public double shareOfShownThatIsRight() {
        return leaks / (double) Math.max(1, leaks + falseAlarms);
    }

    /** Returns how many leaks are missed although something shows them. */
    public int missed() {
        return missed;
    }

    /** Returns scores as a table in Markdown. */
    public static String table(ToolScore... scores) {
        return Arrays.stream(scores).map(ToolScore::toString).collect(Collectors.joining("", """
                | reading | right | leak where there is none | the same, but its lines are a leak's | misses a leak | misses what left nothing | cannot be known | leaks among these | right if it says leak |
                | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
                """, ""));
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "| %s | %d | %d | %d | %d | %d | %d | %d | %.1f %% |\n",
                reading,
                leaks + clean,
                falseAlarms,
                unseenFrees,
                missed,
                unseenLeaks,
                cannotSay,
                leaksThatItCannotSay,
                100.0 * leaks / Math.max(1, leaks + falseAlarms + unseenFrees));
    }
}
