package dev.meshguard.verification.corpus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.verification.corpus.matrix.JudgedRuns;
import dev.meshguard.verification.corpus.stage.SearchedHandles;
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
 * <p>How often each cause and outcome is reported, and how often a verdict is left undecided, is in the matrices beside this class. Those of
 * the run are written to {@code target}.
 */
@TestInstance(Lifecycle.PER_CLASS) // The cases are run once; nobody changes what came of them.
class CorpusTests {

    private static final Path MATRICES = Path.of("src/test/resources/dev/meshguard/verification/corpus");

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
        assertThat(results.whole().wrongs()).isEmpty();
        assertThatMatricesAreThoseOf("confusion-full-history.txt", results.whole());
    }

    @Test
    void hasNoWrongCauseFromAServersLog() throws IOException {
        assertThat(results.log().wrongs()).isEmpty();
        assertThatMatricesAreThoseOf("confusion-server-log.txt", results.log());
    }

    /** Of the runs in which the lines of a log show whether memory is missing, a leak is called one, and nearly nothing else is. */
    @Test
    void isCalledALeakFromALogWhereTheLinesShowOne() {
        assertThat(results.missedLeaks()).isEmpty();
        assertThat(results.shareOfLeaksThatIsRight()).isGreaterThanOrEqualTo(0.995);
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

    private static void assertThatMatricesAreThoseOf(String name, JudgedRuns runs) throws IOException {
        Files.createDirectories(Path.of("target"));
        Path shown = Files.writeString(Path.of("target", name), runs.toString());
        Path file = MATRICES.resolve(name);

        assertThat(shown).as("copy %s to %s if it is right", shown, file).hasSameTextualContentAs(file);
    }
}
