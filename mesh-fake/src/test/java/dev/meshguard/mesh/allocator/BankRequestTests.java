package dev.meshguard.mesh.allocator;

import static dev.meshguard.mesh.Rejections.assertIllegalArgument;
import static dev.meshguard.mesh.allocator.AllocationDirection.BOTTOM_UP;
import static dev.meshguard.mesh.allocator.AllocationDirection.TOP_DOWN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.meshguard.event.BufferType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BankRequestTests {

    @ParameterizedTest
    @CsvSource({
        "0, 0, 12, 32, 0",
        "0, 2048, 12, 32, 0",
        "2048, 2048, 12, 32, 2048",
        "24576, 2048, 12, 32, 2048",
        "26624, 2048, 12, 32, 4096",
        "4194304, 2048, 12, 32, 350208",
        "16, 16, 56, 16, 16",
        "100, 10, 4, 16, 48",
        "9223372036854775807, 1, 1, 1, 9223372036854775807",
        "9223372036854775807, 1, 1, 32, 9223372036854775807",
        "9223372036854775807, 9223372036854775807, 1, 32, 9223372036854775807"
    })
    void spreadsWholePagesOverTheBanksAndRoundsEachUp(long size, long page, int banks, long alignment, long perBank) {
        var request = BankRequest.interleaved(size, page, BOTTOM_UP);

        assertThat(request.sizePerBank(banks, alignment)).isEqualTo(perBank);
    }

    @Test
    void isShardedWhenItNamesANumberOfShards() {
        assertThat(BankRequest.sharded(64, 32, 2, TOP_DOWN).isSharded()).isTrue();
        assertThat(BankRequest.interleaved(64, 32, TOP_DOWN).isSharded()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"100, 32", "32, 0", "-32, 32", "32, -32"})
    void rejectsASizeThatIsNotAWholeNumberOfPages(long size, long page) {
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> BankRequest.interleaved(size, page, BOTTOM_UP))
                .withMessage(
                        "Cannot ask for %d B in pages of %d B: the size must be a whole number of pages."
                                + " Round the size up to the page size.",
                        size, page);
    }

    @Test
    void rejectsSpreadingOverNoShards() {
        assertIllegalArgument(
                () -> BankRequest.sharded(64, 32, 0, TOP_DOWN),
                "Cannot spread a buffer over 0 shards: there must be at least 1."
                        + " Ask for an interleaved buffer if it is not sharded.");
    }

    @ParameterizedTest
    @CsvSource({"DRAM, BOTTOM_UP", "TRACE, BOTTOM_UP", "L1, TOP_DOWN", "L1_SMALL, TOP_DOWN"})
    void growsDownwardsInL1AndUpwardsInDramUnlessItSaysOtherwise(BufferType type, AllocationDirection direction) {
        assertThat(AllocationDirection.defaultFor(type)).isEqualTo(direction);
    }
}
