package dev.meshguard.verdict.baseline;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.event.BufferType.L1;
import static dev.meshguard.tracker.script.HistoryScript.historyOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.meshguard.event.BufferType;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.SurvivorGroup;
import dev.meshguard.verdict.expectation.Expectation;
import dev.meshguard.verdict.expectation.ExpectedBuffers;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BaselineTests {

    private static LeakVerdict leaking(BufferType type, int buffers) {
        return LeakCheck.create()
                .examine(historyOf(
                        "without origins; allocate %s 0x1000 on 0..%d, label weights".formatted(type, buffers - 1)));
    }

    @Test
    void isASortedTextThatSaysWhatItIs() {
        Baseline baseline = Baseline.of(leaking(DRAM, 8))
                .foundBy("KvCacheTest#decode")
                .and(Baseline.of(leaking(DRAM, 2)).foundBy("KvCacheTest#append [a b]"))
                .and(Baseline.of(leaking(L1, 2)));

        assertThat(baseline.toText()).isEqualTo("""
                # Leaks that are known: fingerprint, most buffers in one check, type, size class, place. Below: the tests that had it.
                # Change with -Dmeshguard.baseline.update=shrink (fixed ones go) or =accept (new ones come).
                148dae9b40af 8 DRAM 64 label weights
                   KvCacheTest#append [a b]
                   KvCacheTest#decode
                f8728a8acf62 2 L1 64 label weights
                """);
        assertThat(Baseline.parse("\ufeff" + baseline.toText().replace("\n", "\r\n\r\n"), "baseline.txt"))
                .isEqualTo(baseline);
    }

    @Test
    void coversWhatItKnows() {
        LeakVerdict verdict = leaking(DRAM, 8);

        Baseline known = Baseline.of(verdict);

        assertThat(known.covers(verdict)).isTrue();
        assertThat(description(known, verdict)).contains("known");
    }

    private static Optional<String> description(Baseline known, LeakVerdict verdict) {
        SurvivorGroup first = verdict.groups().get(0);
        return known.description(first, Fingerprint.of(first), Baseline.of(verdict));
    }

    @Test
    void coversNoNewLeak() {
        LeakVerdict verdict = leaking(DRAM, 8);

        Baseline known = Baseline.of(leaking(L1, 8));

        assertThat(known.covers(verdict)).isFalse();
        assertThat(description(known, verdict)).contains("new since the baseline");
    }

    @Test
    void coversNotMoreThanItsCount() {
        LeakVerdict verdict = leaking(DRAM, 9);

        Baseline known = Baseline.of(leaking(DRAM, 8));

        assertThat(known.covers(verdict)).isFalse();
        assertThat(description(known, verdict)).contains("known, but 9 instead of 8");
    }

    @Test
    void coversSurvivorsThatAreNotJudgedYetWithinItsCount() {
        Baseline known = Baseline.of(leaking(DRAM, 8));

        assertThat(known.covers(leaking(DRAM, 8).history().live())).isTrue();
        assertThat(known.covers(leaking(DRAM, 9).history().live())).isFalse();
        assertThat(known.covers(leaking(L1, 8).history().live())).isFalse();
    }

    @Test
    void coversNeitherInconclusiveNorMisreportedVerdicts() {
        LeakVerdict uncertain = LeakCheck.create()
                .examine(historyOf(
                        "without origins; allocate DRAM 0x1000 on 0, label weights; lost 1 the buffer was full"));
        LeakVerdict unbalanced = LeakCheck.create().examine(historyOf("without origins; free DRAM 0x1000 on 0"));

        assertThat(Baseline.of(uncertain).covers(uncertain)).isFalse();
        assertThat(Baseline.of(unbalanced).covers(unbalanced)).isFalse();
    }

    @Test
    void omitsExpectedBuffers() {
        LeakVerdict verdict = LeakCheck.create()
                .expecting(ExpectedBuffers.of(Expectation.because("shared").label("weights")))
                .examine(leaking(DRAM, 8).history());

        assertThat(Baseline.of(verdict)).isEqualTo(Baseline.empty());
        assertThat(description(Baseline.empty(), verdict)).isEmpty();
    }

    @Test
    void shrinksToWhatIsLeftAndNeverGrows() {
        Baseline known = Baseline.of(leaking(DRAM, 8)).and(Baseline.of(leaking(L1, 2)));

        assertThat(shrunk(known, Baseline.of(leaking(DRAM, 5)))).isEqualTo(Baseline.of(leaking(DRAM, 5)));
        assertThat(shrunk(known, Baseline.of(leaking(DRAM, 9)))).isEqualTo(Baseline.of(leaking(DRAM, 8)));
        assertThat(shrunk(known, Baseline.empty())).isEqualTo(Baseline.empty());
    }

    @Test
    void keepsWhatTheRunDoesNotJudgeAndAddsItsTests() {
        Baseline known = Baseline.of(leaking(DRAM, 8)).foundBy("KvCacheTest#decode");
        Baseline fewer = Baseline.of(leaking(DRAM, 5)).foundBy("KvCacheTest#append");

        assertThat(known.shrunkTo(Baseline.empty(), unjudged -> false)).isEqualTo(known);
        assertThat(known.shrunkTo(fewer, unjudged -> false)).isEqualTo(known.foundBy("KvCacheTest#append"));
        assertThat(shrunk(known, fewer)).isEqualTo(fewer);
    }

    private static Baseline shrunk(Baseline known, Baseline found) {
        return known.shrunkTo(found, judged -> true);
    }

    @Test
    void keepsTheLargerOfTwoCounts() {
        Baseline fewer = Baseline.of(leaking(DRAM, 5));
        Baseline more = Baseline.of(leaking(DRAM, 8));

        assertThat(fewer.and(more)).isEqualTo(more);
        assertThat(more.and(fewer)).isEqualTo(more);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<<<<<<< HEAD",
                "e2a3dcb1ee98 0 DRAM 64 label weights",
                "e2a3dcb1ee98 8 SRAM 64 label weights",
                "e2a3dcb1ee98 8 DRAM 9999999999999999999 label weights",
                "e2a3dcb1ee9 8 DRAM 64 label weights",
                "e2a3dcb1ee98 8 DRAM 64"
            })
    void saysWhichLineIsNone(String line) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Baseline.parse("# comment\n\n" + line, "baseline.txt"))
                .withMessage(
                        "baseline.txt:3: a known leak is a fingerprint of 12 digits, a count of at least 1, a type, a size class"
                                + " and a place, with one blank between them: \"" + line
                                + "\" was found. Leave the file to -Dmeshguard.baseline.update=accept.");
    }

    /** Two sizes of one class are two groups for the reader and one leak in the file. */
    @Test
    void addsUpTheGroupsOfOneFingerprint() {
        LeakVerdict verdict = LeakCheck.create().examine(historyOf("""
                        without origins; allocate DRAM 0x1000 on 0..7, label weights;
                        allocate DRAM 0x2000 on 0..1, size 60, label weights
                        """));

        assertThat(verdict.groups()).hasSize(2);
        assertThat(Baseline.of(verdict)).isEqualTo(Baseline.of(leaking(DRAM, 10)));
    }
}
