package dev.meshguard.verification.corpus.route;

import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Outcome;
import dev.meshguard.verdict.Survivor;
import dev.meshguard.verdict.SurvivorStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Compares the verdict of the process itself with one of the same events that came another way.
 *
 * <p>A way may lose facts. So a verdict may leave open what the other decides, and name no cause; it must not say otherwise.
 */
public final class Contradictions {

    private Contradictions() {}

    /** Returns what the second verdict says otherwise: its outcome, its survivors, and the cause of each. */
    public static List<String> between(LeakVerdict inProcess, LeakVerdict found) {
        List<String> contradictions = new ArrayList<>();
        Outcome outcome = outcomeOfMemory(found);
        if (outcome != outcomeOfMemory(inProcess) && outcome != Outcome.INCONCLUSIVE) {
            contradictions.add(found + " instead of " + inProcess + " " + inProcess.inconclusiveReasonTexts());
        }
        Map<String, List<Survivor>> expected = byPlace(inProcess);
        Map<String, List<Survivor>> others = byPlace(found);
        Stream.concat(expected.keySet().stream(), others.keySet().stream())
                .distinct()
                .forEach(place -> compare(
                        place,
                        expected.getOrDefault(place, List.of()),
                        others.getOrDefault(place, List.of()),
                        contradictions));
        return contradictions;
    }

    private static void compare(
            String place, List<Survivor> expected, List<Survivor> found, List<String> contradictions) {
        if (expected.size() != found.size()) {
            contradictions.add(place + ": " + found + " instead of " + expected);
            return;
        }
        for (int i = 0; i < expected.size(); i++) {
            Survivor one = found.get(i);
            boolean isOpen = one.status() == SurvivorStatus.UNDECIDED;
            boolean isSame = one.status() == expected.get(i).status()
                    && (one.cause() == expected.get(i).cause() || one.cause() == Cause.UNEXPLAINED);
            if (!isOpen && !isSame) {
                contradictions.add(String.format(
                        Locale.ROOT,
                        "%s: %s %s instead of %s %s",
                        place,
                        one.status(),
                        one.cause(),
                        expected.get(i).status(),
                        expected.get(i).cause()));
            }
        }
    }

    private static Map<String, List<Survivor>> byPlace(LeakVerdict verdict) {
        Map<String, List<Survivor>> survivors = new TreeMap<>();
        for (Survivor survivor : verdict.survivors()) {
            String place = String.format(
                    Locale.ROOT,
                    "%s %d on device %d, %d bytes",
                    survivor.buffer().type(),
                    survivor.buffer().address(),
                    survivor.buffer().device(),
                    survivor.buffer().size());
            survivors.computeIfAbsent(place, first -> new ArrayList<>()).add(survivor);
        }
        return survivors;
    }

    /**
     * Returns the outcome as if no data had been overwritten: what replays overwrite is known only where traces are.
     */
    public static Outcome outcomeOfMemory(LeakVerdict verdict) {
        if (verdict.outcome() != Outcome.OVERWRITTEN) {
            return verdict.outcome();
        }
        if (!verdict.meetsExpectations()) {
            return Outcome.STALE_EXPECTATION;
        }
        return verdict.sum().expected() > 0 ? Outcome.EXPECTED_ONLY : Outcome.LEAK_FREE;
    }
}
