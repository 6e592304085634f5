package dev.meshguard.verification.corpus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.verification.corpus.matrix.ToolScore;
import dev.meshguard.verification.corpus.stage.SearchedHandles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/**
 * Compares the verdict of every case of the corpus with the ground truth. No cause is wrong, no cause is missing if all reports
 * arrived, and a clean program has no finding.
 *
 * <p>The matrices are printed, and written to {@code target}.
 */
@TestInstance(Lifecycle.PER_CLASS) // The cases are run once; nobody changes what came of them.
class CorpusTests {

    private static final Path RUNTIME_OUTPUTS = Path.of("..", "docs", "internals", "file-fidelity.md");

    private final SearchedHandles finder = new SearchedHandles();
    private final CorpusResults results = CorpusResults.searched("corpus", Corpus.all(), finder);

    @Test
    void isLargeAndMostlyOfProgramsThatLeakNothing() {
        assertThat(results.cases()).isGreaterThan(1_000);
        assertThat(results.cleanCases()).isGreaterThan(400);
        assertThat(results.misreportedCases()).isGreaterThan(150);
    }

    @Test
    void isLabelledAsTheAllocatorsSay() {
        assertThat(results.contradictions()).isEmpty();
    }

    @Test
    void hasHandlesThatAreFoundWhereTheProgramKeptThemAndNowhereElse() {
        assertThat(finder.searches()).isGreaterThan(500);
        assertThat(finder.asked()).isGreaterThan(1_500);
        assertThat(finder.disagreements()).isEmpty();
    }

    @Test
    void hasTheTrueCauseOfEveryBufferAndTheTrueOutcome() throws IOException {
        print("confusion-full-history.txt", results.whole());

        assertThat(results.whole().wrongs()).isEmpty();
    }

    @Test
    void hasNoWrongCauseFromAServersLog() throws IOException {
        print("confusion-server-log.txt", results.log());

        assertThat(results.log().wrongs()).isEmpty();
    }

    @Test
    void hasNoCleanProgramThatIsBlamed() {
        assertThat(results.falseAlarms()).isEmpty();
    }

    /** What cannot be known stays the exception. */
    @Test
    void hasFewBuffersOfWhichNothingCanBeKnown() {
        assertThat(results.whole().causes().row("UNKNOWABLE") * 20)
                .isLessThan(results.whole().causes().total());
    }

    /**
     * Two kinds of errors have columns of their own, because what is read does not show the truth: no report of a free arrived, so
     * the lines are a leak's; or memory is missing, and no report of it is open.
     */
    @Test
    void isSaidToMissMemoryAsOftenAsThisTableSays() {
        assertThat(ToolScore.table(results.log().score(), results.whole().score()))
                .isEqualTo("""
                | reading | right | leak where there is none | the same, but its lines are a leak's | misses a leak | misses what left nothing | cannot be known | leaks among these | right if it says leak |
                | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
                | MeshGuard, a server's log | 2395 | 2 | 281 | 0 | 40 | 201 | 72 | 83.4 % |
                | MeshGuard, whole history | 2833 | 1 | 6 | 0 | 0 | 79 | 51 | 99.6 % |
                """);
    }

    /** Of the runs in which the lines of a log show whether memory is missing, a leak is called one, and nearly nothing else is. */
    @Test
    void isCalledALeakFromALogWhereTheLinesShowOne() {
        assertThat(results.log().score().shareOfShownThatIsRight()).isGreaterThanOrEqualTo(0.995);
        assertThat(results.log().score().missed()).isZero();
    }

    @Test
    void isLeftUndecidedForReasonsThatPreventMoreThanTheyHide() {
        assertThat(results.reasons().useless()).isEmpty();
        assertThat(results.reasons().table()).isEqualTo("""
                | reason | runs without a leak | runs with a leak |
                | --- | ---: | ---: |
                | several reports of its address are open | 50 | 44 |
                | it was reported twice in a row, and not freed as often | 35 | 10 |
                | a later free of its address found nothing on another device | 53 | 17 |
                | a free of it found nothing before it was reported | 28 | 5 |
                | it lies in a stack of L1 without gaps from a known base | 30 | 22 |
                """);
    }

    @Test
    void isReadFromFilesOfTheRuntimeWithoutAWrongCause() {
        assertThat(results.outputs().differences()).isEmpty();
    }

    @Test
    void isKeptNamedAndLostByFilesOfTheRuntimeAsTheirPageSays() throws IOException {
        String page = Files.readString(RUNTIME_OUTPUTS);

        for (String table : List.of(
                results.outputs().table(),
                results.outputs().causes(),
                results.outputs().losses())) {
            assertThat(page).as("copy into %s:%n%s", RUNTIME_OUTPUTS, table).contains(table);
        }
    }

    private static void print(String file, Object matrices) throws IOException {
        System.out.println(matrices);
        Files.createDirectories(Path.of("target"));
        Files.writeString(Path.of("target", file), matrices.toString());
    }
}
