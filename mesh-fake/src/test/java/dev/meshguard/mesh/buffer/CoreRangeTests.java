package dev.meshguard.mesh.buffer;

import static dev.meshguard.mesh.Rejections.assertIllegalArgument;
import static dev.meshguard.mesh.Rejections.assertRuntimeError;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The figures are those of {@code tests/tt_metal/tt_metal/api/core_coord/test_CoreRange_*.cpp}. */
class CoreRangeTests {

    private static CoreRange range(String corners) {
        String[] numbers = corners.split(" ", -1);
        return new CoreRange(
                Integer.parseInt(numbers[0]),
                Integer.parseInt(numbers[1]),
                Integer.parseInt(numbers[2]),
                Integer.parseInt(numbers[3]));
    }

    @ParameterizedTest
    @CsvSource({
        "0 0 1 1, 1 0 6 4, 1 0 1 1",
        "1 1 1 1, 0 0 6 4, 1 1 1 1",
        "0 0 5 4, 1 0 6 4, 1 0 5 4",
        "0 0 1 1, 0 0 6 4, 0 0 1 1",
        "2 0 7 4, 0 0 7 4, 2 0 7 4"
    })
    void intersectsAnotherInARectangle(String one, String other, String common) {
        assertThat(range(one).intersects(range(other))).isTrue();
        assertThat(range(one).intersection(range(other))).contains(range(common));
    }

    @ParameterizedTest
    @CsvSource({"0 0 1 1, 3 3 5 4", "1 1 1 1, 3 3 5 4", "0 0 1 1, 2 0 7 4"})
    void doesNotIntersectWhatItHasNoCoreInCommonWith(String one, String other) {
        assertThat(range(one).intersects(range(other))).isFalse();
        assertThat(range(one).intersection(range(other))).isEmpty();
    }

    @Test
    void containsItsCorners() {
        CoreRange range = range("1 0 6 4");

        assertThat(range.contains(new CoreCoord(1, 0))).isTrue();
        assertThat(range.contains(new CoreCoord(6, 4))).isTrue();
        assertThat(range.contains(new CoreCoord(0, 0))).isFalse();
        assertThat(range.contains(new CoreCoord(6, 5))).isFalse();
        assertThat(range.contains(range("1 1 2 4"))).isTrue();
        assertThat(range.contains(range("1 1 2 5"))).isFalse();
    }

    @Test
    void goesThroughItsCoresRowByRow() {
        assertThat(range("3 3 5 4").size()).isEqualTo(6);
        assertThat(range("3 3 5 4").cores())
                .extracting(CoreCoord::toString)
                .containsExactly("3-3", "4-3", "5-3", "3-4", "4-4", "5-4");
    }

    @Test
    void isOrderedByItsCornersColumnFirst() {
        assertThat(List.of(range("3 0 4 1"), range("0 4 1 5"), range("0 0 1 1"), range("0 0 1 0")))
                .isSortedAccordingTo((one, other) -> other.compareTo(one));
    }

    @Test
    void isWrittenAsTheRuntimeWritesIt() {
        assertThat(range("0 0 7 7")).hasToString("[0-0 - 7-7]");
    }

    @Test
    void startsAtZeroOrLaterAndEndsThereOrLater() {
        assertIllegalArgument(
                () -> range("-1 0 0 0"), "There is no core at column -1, row 0: columns and rows count from 0");
        assertRuntimeError(() -> range("1 2 0 2"), "Invalid core range for start_coord: 1-2, end_coord: 0-2");
        assertRuntimeError(() -> range("1 2 1 1"), "Invalid core range for start_coord: 1-2, end_coord: 1-1");
    }
}
