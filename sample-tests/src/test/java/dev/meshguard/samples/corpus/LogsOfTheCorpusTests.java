package dev.meshguard.samples.corpus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.HistoryEvent;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.server.log.AllocationLog;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/** Tests the verdict on logs that the server would have written about the corpus. */
class LogsOfTheCorpusTests {

    /** Every case would take as long as the corpus itself; the programs recur with every setting. */
    private static final int EVERY = 3;

    @Test
    void readBackAsTheReportsThatTheServerReceivedAndWithTheSameSum() throws IOException {
        List<CorpusCase> cases = Corpus.all();
        List<String> differences = new ArrayList<>();
        int compared = 0;
        for (int i = 0; i < cases.size(); i += EVERY) {
            AllocationHistory heard = new ServerLogReduction(cases.get(i).run().history()).history();
            if (!ServerLogLines.of(heard).isEmpty()) {
                compared++;
                compare(cases.get(i), heard, differences);
            }
        }

        assertThat(differences).isEmpty();
        assertThat(compared).isGreaterThan(400);
    }

    private static void compare(CorpusCase one, AllocationHistory heard, List<String> differences) throws IOException {
        AllocationLog log = read(ServerLogLines.of(heard));
        if (!reports(log.history()).equals(reports(heard))) {
            differences.add(one + ": other reports");
        }
        if (!log.history().lostReports().isEmpty() || log.unread().count() > 0) {
            differences.add(one + ": " + log.history().lostReports() + ", unread " + log.unread());
        }
        if (heard.events().stream().anyMatch(HistoryEvent.ProcessDied.class::isInstance)) {
            // What comes to an address of a dead process is another buffer in a log; the tracker is not told so.
            return;
        }
        LeakVerdict expected = LeakCheck.create().examine(heard);
        LeakVerdict found = LeakCheck.create().examine(log.history());
        if (!found.sum().equals(expected.sum()) || found.outcome() != expected.outcome()) {
            differences.add(one + ": " + found + " instead of " + expected);
        }
    }

    private static AllocationLog read(List<String> lines) throws IOException {
        String text = String.join("\n", lines) + "\n";
        return AllocationLog.read(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), "corpus");
    }

    private static List<String> reports(AllocationHistory history) {
        List<String> reports = new ArrayList<>();
        for (HistoryEvent event : history.events()) {
            if (event instanceof HistoryEvent.Allocated allocated) {
                reports.add(String.format(
                        Locale.ROOT,
                        "allocated %s %d on %d, %d by %s",
                        allocated.type(),
                        allocated.address(),
                        allocated.device(),
                        allocated.size(),
                        allocated.request().details().processId()));
            } else if (event instanceof HistoryEvent.Freed freed) {
                reports.add(String.format(Locale.ROOT, "freed %d on %d", freed.address(), freed.device()));
            }
        }
        return reports;
    }
}
