package dev.meshguard.samples.corpus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.assertions.LeakAssertionError;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.reproduce.ReproductionTest;
import dev.meshguard.reproduce.minimize.FailureSignature;
import dev.meshguard.reproduce.minimize.HistoryMinimizer;
import dev.meshguard.reproduce.minimize.MinimizedHistory;
import dev.meshguard.samples.corpus.stage.RememberedHandles;
import dev.meshguard.samples.support.Fixtures;
import dev.meshguard.samples.support.WrittenSources;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.InconclusiveReason;
import dev.meshguard.verdict.LeakCheck;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Minimizes the findings of the corpus, writes them as tests, compiles and runs these.
 *
 * <p>It uses one case of each finding, in the sense of {@link FailureSignature}, and all programs of the seeds. A failure names
 * the case.
 */
class ReproducedCorpusTests {

    private static final long FIRST_SEED = 1_000;

    /** A history and what the test has to fail with that was written of it. */
    private record Written(String from, FailureSignature finding, String className, String source) {}

    @TempDir
    Path folder;

    @Test
    void failAsTheRunDidForEachFindingOfTheCorpus() throws Exception {
        List<String> wrongs = new ArrayList<>();
        List<Written> written = writtenOfTheCorpus(wrongs);

        run(written, wrongs);

        assertThat(wrongs).isEmpty();
        Set<Cause> causes = new TreeSet<>();
        written.forEach(one -> causes.addAll(one.finding().causes()));
        assertThat(causes).containsExactly(Cause.values());
        assertThat(written).hasSizeGreaterThan(100);
    }

    /** Keeps the first history of each finding only: programs and written tests collect garbage, which takes longer the more is live. */
    private static List<Written> writtenOfTheCorpus(List<String> wrongs) {
        Set<FailureSignature> findings = new HashSet<>();
        Map<CorpusCase, AllocationHistory> first = new LinkedHashMap<>();
        for (CorpusCase one : Corpus.all()) {
            AllocationHistory history = one.run().history();
            for (AllocationHistory form : List.of(history, new ServerLogReduction(history).history())) {
                if (findings.add(findingOf(form))) {
                    first.put(one, history);
                }
            }
        }
        List<Written> written = new ArrayList<>();
        first.forEach((subject, history) -> {
            write(subject.toString(), history, written, wrongs);
            write("the log of " + subject, new ServerLogReduction(history).history(), written, wrongs);
        });
        return written;
    }

    @Test
    void failAsTheRunDidForRandomPrograms() throws Exception {
        long firstSeed = Long.getLong("meshguard.seed", FIRST_SEED);
        System.out.println("Programs from -Dmeshguard.seed=" + firstSeed);
        List<Written> written = new ArrayList<>();
        List<String> wrongs = new ArrayList<>();
        for (long seed = firstSeed; seed < firstSeed + 100; seed++) {
            CaseRun run = RandomProgram.of(seed).run(new RememberedHandles());
            write("-Dmeshguard.seed=" + seed, run.history(), written, wrongs);
        }

        run(written, wrongs);

        assertThat(wrongs).isEmpty();
        assertThat(written).hasSizeGreaterThan(50);
    }

    private static void write(String from, AllocationHistory history, List<Written> written, List<String> wrongs) {
        FailureSignature finding = findingOf(history);
        if (finding.isClean()) {
            return;
        }
        MinimizedHistory least = HistoryMinimizer.create().minimize(history);
        FailureSignature left = findingOf(least.history());
        if (!finding.isKeptBy(left) || least.after().events() > 20) {
            wrongs.add(from + ": " + least + ", " + left + " instead of " + finding);
        }
        try {
            ReproductionTest test = ReproductionTest.of(least.history())
                    .inPackage("written.of" + written.size())
                    .from(from);
            written.add(new Written(from, left, test.className(), test.source()));
        } catch (IllegalStateException e) {
            // The reports of a written test come from its lines, so they cannot be as bare as those of a log.
            if (!e.getMessage().contains(InconclusiveReason.Kind.REPORTS_FIT_BOTH.name())) {
                wrongs.add(from + ": " + e.getMessage());
            }
        }
    }

    private void run(List<Written> written, List<String> wrongs) throws Exception {
        try (WrittenSources sources = new WrittenSources(folder)) {
            for (int i = 0; i < written.size(); i++) {
                sources.add(
                        "written.of" + i,
                        written.get(i).className(),
                        written.get(i).source());
            }
            assertThat(sources.compile()).isEmpty();
            for (int i = 0; i < written.size(); i++) {
                Written one = written.get(i);
                if (Boolean.getBoolean("show")) {
                    System.out.println(one.source());
                }
                Throwable failure = Fixtures.failureOf(sources.load("written.of" + i + "." + one.className()));
                if (!(failure instanceof LeakAssertionError leak)
                        || !FailureSignature.of(leak.verdict()).equals(one.finding())) {
                    wrongs.add(one + "\nfailed with " + failure);
                }
            }
        }
    }

    private static FailureSignature findingOf(AllocationHistory history) {
        return FailureSignature.of(LeakCheck.create().examine(history));
    }
}
