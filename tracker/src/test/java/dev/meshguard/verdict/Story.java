package dev.meshguard.verdict;

import dev.meshguard.history.Anomaly;
import dev.meshguard.tracker.script.HistoryScript;
import java.util.List;
import java.util.stream.Stream;

/**
 * A history and the verdict that it must have.
 *
 * <p>Its lines are the history, as {@link HistoryScript#report} reads it, and then what is expected. A line that begins with
 * {@code =} lists the outcome, the cause and status of all survivors, or {@code causes} or {@code statuses} oldest first, and
 * the kinds of {@code anomalies}, and the {@code devices} or {@code meshes} of what is {@code live}; {@code conclusive} says that there is no inconclusive reason. Lines that begin with
 * {@code because} are the whole evidence of the oldest survivor, with {@code fix} the fix of the only group, and with
 * {@code inconclusive} all reasons. A line that is indented twice continues the one above.
 */
public record Story(String name, String sentences, List<String> expected) {

    static Story of(String text) {
        List<String> lines = text.replaceAll("\\R {8,}", " ")
                .lines()
                .skip(1)
                .map(String::strip)
                .toList();
        List<String> expected = lines.stream().filter(Story::isExpectation).toList();
        String sentences = String.join(" ", lines.subList(0, lines.size() - expected.size()));
        return new Story(text.lines().findFirst().orElseThrow(), sentences, expected);
    }

    private static boolean isExpectation(String line) {
        return line.matches("(=|because|inconclusive|fix) .*");
    }

    /** Fails if the verdict is another one. */
    public void holds() {
        if (expected.isEmpty()) {
            throw new IllegalArgumentException("The story \"" + name + "\" expects nothing");
        }
        Judgement judgement = Judgement.judged(HistoryScript.historyOf(sentences));
        beginningWith("= ")
                .flatMap(claims -> Stream.of(claims.split(", ", 0)))
                .forEach(claim -> hasProperty(judgement, claim, List.of(claim.split(" ", 0))));
        String[] facts = beginningWith("because ").toArray(String[]::new);
        if (facts.length > 0) {
            judgement.because(facts);
        }
        String[] reasons = beginningWith("inconclusive ").toArray(String[]::new);
        if (reasons.length > 0) {
            judgement.inconclusiveReasons(reasons);
        }
        beginningWith("fix ").forEach(judgement::hasFix);
    }

    private static void hasProperty(Judgement judgement, String claim, List<String> words) {
        Stream<String> values = words.stream().skip(1);
        switch (words.get(0)) {
            case "conclusive" -> judgement.inconclusiveReasons();
            case "no" -> hasNone(judgement, words.get(1));
            case "live" ->
                judgement.hasLive(
                        words.get(2),
                        words.stream().skip(3).map(Integer::valueOf).toArray(Integer[]::new));
            case "anomalies" ->
                judgement.hasAnomalies(values.map(Anomaly.Kind::valueOf).toArray(Anomaly.Kind[]::new));
            case "causes" -> judgement.hasCauses(values.map(Cause::valueOf).toArray(Cause[]::new));
            case "statuses" ->
                judgement.hasStandings(values.map(SurvivorStatus::valueOf).toArray(SurvivorStatus[]::new));
            default -> {
                if (words.size() == 1) {
                    judgement.hasOutcome(Outcome.valueOf(claim));
                } else {
                    judgement.hasOnly(Cause.valueOf(words.get(0)), SurvivorStatus.valueOf(words.get(1)));
                }
            }
        }
    }

    private static void hasNone(Judgement judgement, String what) {
        switch (what) {
            case "fix" -> judgement.hasFix("");
            case "anomalies" -> judgement.hasAnomalies();
            default -> throw new IllegalArgumentException("No story can say \"no " + what + "\"");
        }
    }

    private Stream<String> beginningWith(String word) {
        return expected.stream().filter(line -> line.startsWith(word)).map(line -> line.substring(word.length()));
    }

    @Override
    public String toString() {
        return name;
    }
}
