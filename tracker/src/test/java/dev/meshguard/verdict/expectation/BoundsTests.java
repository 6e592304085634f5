package dev.meshguard.verdict.expectation;

import static org.assertj.core.api.Assertions.assertThat;

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
    void entriesThatSayAnotherThingAreNotEqual() {
        assertThat(ANY.size(64))
                .isEqualTo(Expectation.because("it is known").size(64))
                .hasSameHashCodeAs(Expectation.because("it is known").size(64))
                .isNotEqualTo(ANY.size(65))
                .isNotEqualTo(Expectation.because("it is new").size(64));
    }
}
