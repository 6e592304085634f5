package dev.meshguard.verdict.growth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.junit.jupiter.api.Test;

class RoundVectorTests {

    @Test
    void hasAnAmountForEachRound() {
        RoundVector vector = RoundVector.of(5, 0, -2);

        assertThat(vector.rounds()).isEqualTo(3);
        assertThat(vector.retainedBy(1)).isEqualTo(5);
        assertThat(vector.retainedBy(2)).isZero();
        assertThat(vector.retainedBy(3)).isEqualTo(-2);
        assertThat(vector.total()).isEqualTo(3);
        assertThat(vector.isZero()).isFalse();
    }

    @Test
    void rejectsARoundThatDoesNotExist() {
        assertThatExceptionOfType(IndexOutOfBoundsException.class)
                .isThrownBy(() -> RoundVector.of(5).retainedBy(0));
        assertThatExceptionOfType(IndexOutOfBoundsException.class)
                .isThrownBy(() -> RoundVector.of(5).retainedBy(2));
    }

    @Test
    void showsFewRoundsEachAndOfManyTheEnds() {
        assertThat(RoundVector.of()).hasToString("[]");
        assertThat(RoundVector.of(3, 1, 0)).hasToString("[3, 1, 0]");
        assertThat(RoundVector.of(1, 2, 3, 4, 5, 6, 7, 8)).hasToString("[1, 2, 3, 4, 5, 6, 7, 8]");
        assertThat(RoundVector.of(5, 0, 0, 0, 0, 0, 0, 0, 0, 0)).hasToString("[5, 0, 0, 4 more of 0, 0, 0, 0]");
        assertThat(RoundVector.of(5, 0, 0, 1, 0, 2, 0, 0, 0)).hasToString("[5, 0, 0, … 3 more …, 0, 0, 0]");
    }
}
