package dev.meshguard.verification.corpus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.history.AllocationHistory;
import dev.meshguard.report.VerdictReport;
import dev.meshguard.report.json.HistoryJson;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verification.corpus.stage.RememberedHandles;
import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Tests that a history which was recorded, written and read has the same verdict, word for word.
 *
 * <p>{@code -Dmeshguard.seed=} chooses the first program, {@code -Dmeshguard.programs=} their number.
 */
class ReplayedCorpusTests {

    private static final long FIRST_SEED = 1_000;

    /** Every case would take as long as the corpus itself; the programs recur with every setting. */
    private static final int EVERY = 5;

    @Test
    void randomProgramsReplayIdentically() throws IOException {
        long firstSeed = Long.getLong("meshguard.seed", FIRST_SEED);
        int programs = Integer.getInteger("meshguard.programs", 200);
        System.out.println("Programs from -Dmeshguard.seed=" + firstSeed);
        List<String> differences = new ArrayList<>();

        for (long seed = firstSeed; seed < firstSeed + programs; seed++) {
            AllocationHistory recorded =
                    RandomProgram.of(seed).run(new RememberedHandles()).history();
            compare("-Dmeshguard.seed=" + seed, recorded, differences);
        }

        assertThat(differences).isEmpty();
    }

    @Test
    void casesOfTheCorpusAndTheirLogsReplayIdentically() throws IOException {
        List<CorpusCase> cases = Corpus.all();
        List<String> differences = new ArrayList<>();

        for (int i = 0; i < cases.size(); i += EVERY) {
            AllocationHistory recorded = cases.get(i).run().history();
            compare(cases.get(i).toString(), recorded, differences);
            compare("the log of " + cases.get(i), new ServerLogReduction(recorded).history(), differences);
        }

        assertThat(differences).isEmpty();
    }

    private static void compare(String name, AllocationHistory recorded, List<String> differences) throws IOException {
        String expected = text(recorded);
        String found = text(writtenAndRead(recorded));
        if (!found.equals(expected)) {
            differences.add(name + ":\n" + found + "\ninstead of\n" + expected);
        }
    }

    private static AllocationHistory writtenAndRead(AllocationHistory history) throws IOException {
        StringWriter lines = new StringWriter();
        HistoryJson.write(history, lines);
        return HistoryJson.read(new StringReader(lines.toString()), "recorded");
    }

    private static String text(AllocationHistory history) {
        return VerdictReport.of(LeakCheck.create().examine(history)).text();
    }
}
