package dev.meshguard.server;

import dev.meshguard.event.HistoryEvent;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Survivor;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.Arguments;

/** Tables of cases in text files: after {@code #} the name of a case, its lines, and after {@code =>} the expected facts. */
public final class CaseTable {

    private static final String FACT = "=> ";

    private CaseTable() {}

    /** Returns the name, the lines and the facts of each case. */
    public static Stream<Arguments> read(Class<?> tests, String name) {
        try (InputStream in = tests.getResourceAsStream(name)) {
            String[] cases = new String(in.readAllBytes(), StandardCharsets.UTF_8).split("(?m)^# ");
            return Arrays.stream(cases).skip(1).map(CaseTable::caseOf);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Arguments caseOf(String text) {
        List<String> all = text.stripTrailing().lines().toList();
        List<String> lines = new ArrayList<>(all.subList(1, all.size()));
        lines.removeIf(line -> line.startsWith(FACT));
        List<String> facts = all.stream()
                .filter(line -> line.startsWith(FACT))
                .map(line -> line.substring(FACT.length()))
                .toList();
        return Arguments.of(all.get(0), lines, facts);
    }

    /** Returns the outcome and the sum of a verdict, its survivors, the wrong reports, and the missing ones. */
    public static List<String> facts(LeakVerdict verdict) {
        List<String> facts = new ArrayList<>();
        facts.add(String.format(
                Locale.ROOT,
                "%s, %d allocated, %d freed",
                verdict.outcome(),
                verdict.sum().allocated(),
                verdict.sum().freed()));
        for (Survivor survivor : verdict.survivors()) {
            int open = survivor.buffer().openReports();
            facts.add("survivor " + survivor + (open > 1 ? ", " + open + " open reports" : ""));
        }
        verdict.unbalancingAnomalies().forEach(anomaly -> facts.add("wrong: " + anomaly.kind()));
        for (HistoryEvent event : verdict.history().events()) {
            if (event instanceof HistoryEvent.ReportsLost lost) {
                facts.add("lost " + (lost.count() < 0 ? "some" : lost.count()) + ": " + lost.reason());
            } else if (event instanceof HistoryEvent.TrackingStopped stopped) {
                facts.add("stopped: " + stopped.reason());
            }
        }
        return facts;
    }
}
