package dev.meshguard.samples.corpus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.samples.corpus.stage.SearchedHandles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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

    private static final Path COMPARISON = Path.of("..", "docs", "internals", "compared-diagnosis.md");
    private static final Path RUNTIME_OUTPUTS = Path.of("..", "docs", "runtime-outputs.md");

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
        print("confusion-full-history.txt", results.fullText());

        assertThat(results.wrongs()).isEmpty();
    }

    @Test
    void hasNoWrongCauseFromAServersLog() throws IOException {
        print("confusion-server-log.txt", results.logText());

        assertThat(results.wrongsOfTheLog()).isEmpty();
    }

    @Test
    void hasNoCleanProgramThatIsBlamed() {
        assertThat(results.falseAlarms()).isEmpty();
    }

    /** What cannot be known stays the exception. */
    @Test
    void hasFewBuffersOfWhichNothingCanBeKnown() {
        assertThat(results.causes().row("UNKNOWABLE") * 20)
                .isLessThan(results.causes().total());
    }

    @Test
    void isReadByTheOldToolsAsTheirComparisonSays() throws IOException {
        isInTheComparison("compared-diagnosis.txt", results.scores().table());
    }

    /** Of the runs in which the lines of a log show whether memory is missing, a leak is called one, and nearly nothing else is. */
    @Test
    void isCalledALeakFromALogWhereTheLinesShowOne() {
        assertThat(results.scores().shareOfShownThatIsRight(CorpusResults.LOG)).isGreaterThanOrEqualTo(0.995);
        assertThat(results.scores().missed(CorpusResults.LOG)).isZero();
    }

    @Test
    void isLeftUndecidedForReasonsThatPreventMoreThanTheyHide() throws IOException {
        assertThat(results.reasons().useless()).isEmpty();
        isInTheComparison("undecided-reasons.txt", results.reasons().table());
    }

    @Test
    void isReadFromFilesOfTheRuntimeWithoutAWrongCause() {
        assertThat(results.outputs().differences()).isEmpty();
    }

    @Test
    void isKeptByFilesOfTheRuntimeAsTheirPageSays() throws IOException {
        isInThePage(RUNTIME_OUTPUTS, "runtime-outputs.txt", results.outputs().table());
    }

    @Test
    void isNamedFromFilesOfTheRuntimeAsTheirPageSays() throws IOException {
        isInThePage(
                RUNTIME_OUTPUTS, "runtime-output-causes.txt", results.outputs().causes());
    }

    @Test
    void isLostByFilesOfTheRuntimeAsTheirPageSays() throws IOException {
        isInThePage(
                RUNTIME_OUTPUTS, "runtime-output-losses.txt", results.outputs().losses());
    }

    private static void isInTheComparison(String file, String table) throws IOException {
        isInThePage(COMPARISON, file, table);
    }

    private static void isInThePage(Path page, String file, String table) throws IOException {
        Files.createDirectories(Path.of("target"));
        Files.writeString(Path.of("target", file), table);
        assertThat(Files.readString(page)).as("copy into %s:%n%s", page, table).contains(table);
    }

    private static void print(String file, String matrices) throws IOException {
        System.out.println(matrices);
        Files.createDirectories(Path.of("target"));
        Files.writeString(Path.of("target", file), matrices);
    }
}
