package dev.meshguard.verdict.growth;

import static dev.meshguard.verdict.growth.Trend.GROWING;
import static dev.meshguard.verdict.growth.Trend.SETTLED;
import static dev.meshguard.verdict.growth.Trend.SETTLING;
import static dev.meshguard.verdict.growth.Trend.UNDECIDED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The rule of {@link Trend}, vector by vector. */
class TrendTests {

    @ParameterizedTest(name = "{0} is {1}")
    @MethodSource
    void readsAVector(List<Long> vector, Trend trend) {
        assertThat(vector(vector).trend()).isEqualTo(trend);
    }

    static Stream<Arguments> readsAVector() {
        return Stream.of(
                // A cache, and what comes and goes.
                arguments(List.of(5L, 0L, 0L, 0L), SETTLED),
                arguments(List.of(0L, 0L, 0L), SETTLED),
                arguments(List.of(1L, -1L, 1L, -1L), SETTLED),
                arguments(List.of(4L, -4L, 3L, 1L), SETTLED),
                // Growth came late, and then none for longer than ever before.
                arguments(List.of(3L, 1L, 0L), SETTLING),
                arguments(List.of(5L, 3L, -3L, 3L), SETTLING),
                arguments(List.of(0L, 1L, 0L, 0L), SETTLING),
                arguments(List.of(2L, 0L, 1L, 0L, 0L), SETTLING),
                arguments(List.of(0L, 1L, 1L, 0L), SETTLING),
                // A leak, also one of every second round, one that begins late and one of uneven size.
                arguments(List.of(1L, 1L, 1L, 1L), GROWING),
                arguments(List.of(1L, 1L, 1L), GROWING),
                arguments(List.of(1L, 0L, 1L, 0L, 1L), GROWING),
                arguments(List.of(1L, 0L, 1L, 0L, 1L, 0L), GROWING),
                arguments(List.of(5L, 0L, 0L, 1L, 1L), GROWING),
                arguments(List.of(4L, 2L, 3L), GROWING),
                arguments(List.of(2L, -1L, 2L, -1L, 2L), GROWING),
                // One new high does not decide yet, nor do decreasing new highs.
                arguments(List.of(5L, 0L, 1L), UNDECIDED),
                arguments(List.of(1L, 0L, 1L, 0L), UNDECIDED),
                arguments(List.of(3L, 2L, 1L), UNDECIDED),
                // Too few rounds.
                arguments(List.of(0L, 0L), UNDECIDED),
                arguments(List.of(1L, 1L), UNDECIDED),
                arguments(List.of(), UNDECIDED));
    }

    @Test
    void saysHowManyRoundsMoreWouldDecide() {
        assertThat(RoundVector.of().roundsNeeded()).isEqualTo(3);
        assertThat(RoundVector.of(1, 1).roundsNeeded()).isEqualTo(1);
        assertThat(RoundVector.of(5, 0, 0, 1).roundsNeeded()).isEqualTo(3);
        assertThat(RoundVector.of(1, 0, 1, 0).roundsNeeded()).isEqualTo(1);
        assertThat(RoundVector.of(5, 0, 0).roundsNeeded()).isZero();
    }

    @Test
    void countsOnlyWhatCameOnTopAfterTheWarmUp() {
        assertThat(RoundVector.of(7, 1, -1, 3, 2).growth()).isEqualTo(5);
        assertThat(withWarmUp(2, RoundVector.of(7, 1, 1, 1)).growth()).isEqualTo(2);
        assertThat(withWarmUp(0, RoundVector.of(7, 1, 1, 1)).growth()).isEqualTo(10);
    }

    @Test
    void aLongerWarmUpLetsALaterRoundFillTheCache() {
        RoundVector vector = RoundVector.of(3, 2, 0, 0);

        assertThat(withWarmUp(1, vector).trend()).isEqualTo(SETTLING);
        assertThat(withWarmUp(2, vector).trend()).isEqualTo(SETTLED);
        assertThat(withWarmUp(3, vector).trend()).isEqualTo(UNDECIDED);
    }

    private static RoundVector withWarmUp(int rounds, RoundVector vector) {
        return new RoundVector(vector.rounds(), rounds, vector.amounts());
    }

    private static RoundVector vector(List<Long> amounts) {
        return RoundVector.of(amounts.stream().mapToLong(Long::longValue).toArray());
    }

    @Test
    void whatHasSettledOrIsSettlingIsQuiet() {
        assertThat(Stream.of(Trend.values()).filter(Trend::isQuiet)).containsExactly(SETTLED, SETTLING);
        assertThat(Stream.of(Trend.values()).map(Trend::description))
                .containsExactly("settled", "settling", "undecided", "growing");
    }
}
