package dev.meshguard.verification.corpus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.verification.corpus.faults.RunFaults;
import dev.meshguard.verification.corpus.matrix.CorpusJudgement;
import dev.meshguard.verification.corpus.stage.RememberedHandles;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Compares the verdict on random programs on random runtimes with the ground truth.
 *
 * <p>A failure names the seed of its program; {@code -Dmeshguard.seed=} with that number makes it the first program of the next
 * run. {@code -Dmeshguard.programs=} sets the number of programs.
 *
 * <p>{@code misjudged-programs.txt} lists the programs whose verdict is still wrong. The test fails for every other wrong
 * verdict, and for a listed program with a right verdict, which must be removed from the list. If reports were lost, doubled or
 * disordered, a verdict may be undecided about a buffer; the matrix counts such cases.
 */
class RandomProgramsTests {

    /** The same programs in every build; other seeds are for the nightly run and for whoever looks for more. */
    private static final long FIRST_SEED = 1_000;

    @Test
    void haveTheTrueCauseOfEveryBuffer() throws IOException {
        long firstSeed = Long.getLong("meshguard.seed", FIRST_SEED);
        int programs = Integer.getInteger("meshguard.programs", 300);
        CorpusResults results = new CorpusResults(programs + " random programs from seed " + firstSeed);
        Map<Long, List<String>> misjudged = new TreeMap<>();

        for (long seed = firstSeed; seed < firstSeed + programs; seed++) {
            CaseRun run = RandomProgram.of(seed).run(new RememberedHandles());
            CorpusJudgement full = run.full();
            CorpusJudgement reduced = run.reduced();
            results.add(run, full, reduced);
            List<String> wrongs = wrongsOf(run, full, reduced);
            if (!wrongs.isEmpty()) {
                misjudged.put(seed, wrongs);
            }
        }

        System.out.println(results.whole());
        System.out.println(results.log());
        assertThat(results.contradictions()).isEmpty();
        assertThat(misjudged.keySet())
                .as(() -> misjudged.entrySet().stream().map(Object::toString).collect(Collectors.joining("\n")))
                .isEqualTo(knownFrom(firstSeed).headSet(firstSeed + programs));
        assertThat(results.falseAlarms()).isEmpty();
        assertThat(results.cleanCases()).as("programs that leak nothing").isBetween(1, programs - 1);
    }

    /** Otherwise a seed would be that of another program. */
    @Test
    void haveTheFaultsOfTheirSeedForEver() {
        assertThat(RunFaults.random(42))
                .hasToString("FaultPlan.none().closingTwice().delayingReport(5, FREE, 39).shufflingReports(5, 182L)");
    }

    @Test
    void haveOneToFourFaultsWhateverTheirSeed() {
        long firstSeed = Long.getLong("meshguard.seed", new SplittableRandom().nextLong());

        for (long seed = firstSeed; seed < firstSeed + 1_000; seed++) {
            RunFaults faults = RunFaults.random(seed);

            assertThat(faults.ofRuntime().faults().size() + faults.ofReports().size())
                    .as("-Dmeshguard.seed=%d", seed)
                    .isBetween(1, 4);
            assertThat(faults)
                    .as("-Dmeshguard.seed=%d", seed)
                    .hasToString(RunFaults.random(seed).toString());
        }
    }

    private static List<String> wrongsOf(CaseRun run, CorpusJudgement full, CorpusJudgement reduced) {
        List<String> wrongs =
                new ArrayList<>(run.subject().setting().distortsReports() ? full.wrongNames() : full.wrongs());
        reduced.wrongs().forEach(wrong -> wrongs.add("from the log: " + wrong));
        return wrongs;
    }

    private static SortedSet<Long> knownFrom(long firstSeed) throws IOException {
        try (InputStream list = RandomProgramsTests.class.getResourceAsStream("misjudged-programs.txt")) {
            return new String(list.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.startsWith("#"))
                    .map(line -> Long.valueOf(line.substring(0, line.indexOf(' '))))
                    .collect(Collectors.toCollection(TreeSet::new))
                    .tailSet(firstSeed);
        }
    }
}
