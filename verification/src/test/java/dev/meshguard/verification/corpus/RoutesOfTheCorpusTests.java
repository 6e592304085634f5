package dev.meshguard.verification.corpus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.HistoryEvent;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.report.VerdictReport;
import dev.meshguard.report.json.HistoryJson;
import dev.meshguard.server.log.AllocationLogReader;
import dev.meshguard.server.log.ParsedLog;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Outcome;
import dev.meshguard.verification.corpus.route.Contradictions;
import dev.meshguard.verification.corpus.route.LinesRoute;
import dev.meshguard.verification.corpus.route.RecordsRoute;
import dev.meshguard.verification.corpus.route.ServerLogWriter;
import dev.meshguard.verification.corpus.route.ServerLogWriter.Generation;
import dev.meshguard.verification.corpus.route.SocketRoute;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that no verdict on the reports which a server received, or which a server's log has, contradicts that
 * of the process itself, that no log is clean without one of its lines, and that a history which was written and read has the same
 * verdict, word for word.
 *
 * <p>{@code -Dmeshguard.seed=} chooses the cases of the corpus and the first random program, {@code -Dmeshguard.programs=} the
 * number of these; {@code -Dmeshguard.corpus=whole} takes every case.
 */
class RoutesOfTheCorpusTests {

    private static final long SEED = Long.getLong("meshguard.seed", 1_000);

    @TempDir
    Path folder;

    private final List<String> differences = new ArrayList<>();
    private final Random random = new Random(SEED);
    private int compared;

    @Test
    void randomProgramsAreJudgedAsInTheirProcess() throws Exception {
        int programs = Integer.getInteger("meshguard.programs", 50);
        System.out.println(programs + " programs from -Dmeshguard.seed=" + SEED);

        for (long seed = SEED; seed < SEED + programs; seed++) {
            compareAll(RandomProgram.of(seed));
        }

        assertThat(differences).isEmpty();
    }

    @Test
    void casesOfTheCorpusAreJudgedAsInTheirProcess() throws Exception {
        List<CorpusCase> cases =
                System.getProperty("meshguard.corpus", "").equals("whole") ? Corpus.all() : Corpus.sample(SEED);
        System.out.println(cases.size() + " cases of -Dmeshguard.seed=" + SEED);

        for (CorpusCase one : cases) {
            compareAll(one);
        }

        assertThat(differences).isEmpty();
    }

    /** A history with its verdict, which all that came by other routes is compared with. */
    private record Judged(AllocationHistory history, LeakVerdict verdict) {
        private Judged(AllocationHistory history) {
            this(history, LeakCheck.create().examine(history));
        }
    }

    private void compareAll(CorpusCase one) throws IOException, InterruptedException {
        Judged history = new Judged(one.run().history());
        compareWritten(one.toString(), history);
        compare("the lines of " + one, history, new LinesRoute().carry(history.history(), folder));

        Judged reduced = new Judged(new ServerLogReduction(history.history()).history());
        compareWritten("the log of " + one, reduced);
        compare("the records of " + one, reduced, new RecordsRoute().carry(reduced.history(), folder));
        compareLogs("the log of " + one, reduced);
        compared++;
    }

    private void compareLogs(String name, Judged reduced) throws IOException {
        Generation counting = compared % 2 == 0 ? Generation.DECIMAL : Generation.HEXADECIMAL;
        String log = log(reduced, counting);
        compare(name, reduced, readWhole(name, log));
        if (reduced.verdict().outcome() == Outcome.LEAK_FREE) {
            compareShortened(name, log);
        }
        AllocationHistory old = readWhole(name, log(reduced, Generation.WITHOUT_REFERENCES));
        if (!reports(old).equals(reports(reduced.history()))) {
            differences.add(name + " without references: other reports");
        }
    }

    private static String log(Judged judged, Generation generation) {
        return ServerLogWriter.logOf(judged.history(), generation, SocketRoute.ONLY_PROCESS);
    }

    private static ParsedLog read(String log) throws IOException {
        return AllocationLogReader.create()
                .read(new ByteArrayInputStream(log.getBytes(StandardCharsets.UTF_8)), "server.log");
    }

    private AllocationHistory readWhole(String name, String log) throws IOException {
        ParsedLog read = read(log);
        if (read.unread().count() + read.differingStatistics() > 0) {
            differences.add(name + ": unread " + read.unread() + ", differing " + read.differingStatistics());
        }
        return read.history();
    }

    /** Takes one report out of a log that frees all: the reports or sums that are left show that it is missing. */
    private void compareShortened(String name, String log) throws IOException {
        List<String> lines = new ArrayList<>(log.lines().toList());
        List<String> reports =
                lines.stream().filter(line -> line.contains("[PID ")).toList();
        if (!reports.isEmpty()) {
            String taken = reports.get(random.nextInt(reports.size()));
            lines.remove(taken);
            String rest = String.join("\n", lines);
            Outcome outcome = new Judged(read(rest).history()).verdict().outcome();
            if (outcome != Outcome.INCONCLUSIVE && outcome != Outcome.LEAKED) {
                differences.add(name + " is " + outcome + " without " + taken);
            }
        }
    }

    private void compareWritten(String name, Judged recorded) throws IOException {
        StringWriter lines = new StringWriter();
        HistoryJson.write(recorded.history(), lines);
        AllocationHistory read = HistoryJson.read(new StringReader(lines.toString()), "recorded");
        String found = VerdictReport.of(new Judged(read).verdict()).text();
        String expected = VerdictReport.of(recorded.verdict()).text();
        if (!found.equals(expected)) {
            differences.add(name + ", written and read:\n" + found + "\ninstead of\n" + expected);
        }
    }

    private void compare(String name, Judged judged, AllocationHistory found) {
        AllocationHistory inProcess = judged.history();
        if (found.lostReports().size() == inProcess.lostReports().size()
                && !reports(found).equals(reports(inProcess))) {
            differences.add(name + ": other reports");
        }
        boolean isOfDeadProcess =
                !inProcess.events(HistoryEvent.ProcessDied.class).isEmpty();
        if (isOfDeadProcess && !name.startsWith("the lines")) {
            // What comes to an address of a dead process is another buffer for a server; the tracker is not told so.
            return;
        }
        LeakVerdict expected = judged.verdict();
        LeakVerdict verdict = new Judged(found).verdict();
        Contradictions.between(expected, verdict)
                .forEach(contradiction -> differences.add(name + ": " + contradiction));
        // A program that reports nothing is not known, and one that does not report for a while tells that reports are
        // missing.
        boolean isClean = expected.outcome() == Outcome.LEAK_FREE
                && inProcess.gaps().isEmpty()
                && inProcess.allocatedBuffers() > 0;
        if (isClean && verdict.outcome() != Outcome.LEAK_FREE) {
            differences.add(name + ": " + verdict + " of a clean program");
        }
    }

    /** Returns the reports of each device: the order of two devices in a history is that of the requests. */
    private static Map<Integer, List<String>> reports(AllocationHistory history) {
        Map<Integer, List<String>> reports = new TreeMap<>();
        for (HistoryEvent event : history.events()) {
            if (event instanceof HistoryEvent.Allocated one) {
                long process = one.request().details().processId().orElse(SocketRoute.ONLY_PROCESS);
                String text = "allocated " + one.type() + " " + one.address() + ", " + one.size() + " by " + process;
                reports.computeIfAbsent(one.device(), first -> new ArrayList<>())
                        .add(text);
            } else if (event instanceof HistoryEvent.Freed one) {
                reports.computeIfAbsent(one.device(), first -> new ArrayList<>())
                        .add("freed " + one.address());
            }
        }
        return reports;
    }
}
