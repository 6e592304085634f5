package dev.meshguard.mesh.allocator;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RoundingTests {

    @ParameterizedTest
    @CsvSource({"0, 32, 0", "1, 32, 32", "32, 32, 32", "33, 32, 64", "7, 1, 7", "100, 12, 108"})
    void goesUpToTheNextMultiple(long value, long multiple, long rounded) {
        assertThat(Rounding.up(value, multiple)).isEqualTo(rounded);
    }

    @ParameterizedTest
    @CsvSource({"0, 12, 0", "1, 12, 1", "12, 12, 1", "13, 12, 2", "9223372036854775807, 2, 4611686018427387904"})
    void countsAPartialPartAsAWholeOne(long whole, long part, long parts) {
        assertThat(Rounding.ceilDiv(whole, part)).isEqualTo(parts);
    }

    @Test
    void leavesWhatIsLargerThanAnyMemoryAsItIs() {
        assertThat(Rounding.up(Long.MAX_VALUE, 32)).isEqualTo(Long.MAX_VALUE);
    }
}
