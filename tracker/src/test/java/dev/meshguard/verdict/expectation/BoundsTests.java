package dev.meshguard.verdict.expectation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** Counts, sizes and texts of an entry: rejected values and printed forms. */
class BoundsTests {

    private static final Expectation ANY = Expectation.because("it is known");

    @Test
    void aCountIsPrintedAsItWouldBeSaid() {
        assertThat(Bound.any()).hasToString("any number of buffers");
        assertThat(Bound.exactly(1)).hasToString("exactly 1 buffer");
        assertThat(new Bound(0, 8)).hasToString("at most 8 buffers");
        assertThat(new Bound(2, Long.MAX_VALUE)).hasToString("at least 2 buffers");
        assertThat(new Bound(2, 8)).hasToString("2 to 8 buffers");
    }

    @Test
    void rejectsNegativeCountsAtBothEnds() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Bound(-1, 2))
                .withMessage("An expected buffer's count is 0 or more: -1 was given. Leave it out to allow any.");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Bound(0, -1))
                .withMessage("An expected buffer's count is 0 or more: -1 was given. Leave it out to allow any.");
    }

    @Test
    void rejectsBlankTexts() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ANY.label(" "))
                .withMessage(
                        "An expected buffer's label is a text to look for: a blank one was given. Leave it out to allow"
                                + " any.");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ANY.owner(""))
                .withMessage(
                        "An expected buffer's owner is a text to look for: a blank one was given. Leave it out to allow"
                                + " any.");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ANY.origin(" "))
                .withMessage(
                        "An expected buffer's origin is a text to look for: a blank one was given. Leave it out to allow"
                                + " any.");
    }

    @Test
    void oneSizeIsWrittenAndReadAsOneNumber() {
        Expectation entry = ANY.size(64);

        assertThat(entry.toText()).isEqualTo("size 64 because \"it is known\"");
        assertThat(ExpectedBuffers.parse("size 64 because \"it is known\"", "expected.txt")
                        .entries())
                .singleElement()
                .extracting(Expectation::size)
                .isEqualTo(OptionalLong.of(64));
    }

    @Test
    void entriesThatSayAnotherThingAreNotEqual() {
        assertThat(ANY.size(64))
                .isEqualTo(Expectation.because("it is known").size(64))
                .hasSameHashCodeAs(Expectation.because("it is known").size(64))
                .isNotEqualTo(ANY.size(65))
                .isNotEqualTo(Expectation.because("it is new").size(64));
    }
}
