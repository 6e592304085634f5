package dev.meshguard.mesh.buffer;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.event.BufferType.L1;
import static dev.meshguard.mesh.Rejections.assertIllegalArgument;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.mesh.allocator.AllocationDirection;
import dev.meshguard.mesh.allocator.BankRequest;
import org.junit.jupiter.api.Test;

class BankLayoutTests {

    private static final BankLayout INTERLEAVED = new BankLayout(BufferConfig.of(DRAM, 25 * 2_000, 2_000), 12, 32);

    /** Ten pages of 120 B in shards of 2 x 2 on six cores: as 5 rows of 2, they fill two and a half. */
    private static final BankLayout SHARDED = new BankLayout(
            BufferConfig.of(L1, 10 * 120, 120).sharded(CoreRangeSet.of(new CoreRange(0, 0, 5, 0)), 2 * 2), 64, 16);

    @Test
    void roundsEveryPageUp() {
        assertThat(INTERLEAVED.alignedPageSize()).isEqualTo(2_016);
        assertThat(INTERLEAVED.numDevPages()).isEqualTo(25);
        assertThat(INTERLEAVED.alignedSize()).isEqualTo(25 * 2_016);
    }

    @Test
    void givesEveryBankRoomForAsManyPagesAsTheFirstOne() {
        assertThat(INTERLEAVED.maxPagesPerBank()).isEqualTo(3);
        assertThat(INTERLEAVED.alignedSizePerBank()).isEqualTo(3 * 2_016);
        assertThat(INTERLEAVED.numCores()).isEmpty();
    }

    @Test
    void asksForTheAlignedSizes() {
        assertThat(INTERLEAVED.request())
                .isEqualTo(BankRequest.interleaved(25 * 2_016, 2_016, AllocationDirection.BOTTOM_UP));
        assertThat(SHARDED.request()).isEqualTo(BankRequest.sharded(24 * 128, 128, 6, AllocationDirection.TOP_DOWN));
    }

    @Test
    void givesEveryCoreRoomForAWholeShardWhateverItHolds() {
        assertThat(SHARDED.numCores()).hasValue(6);
        assertThat(SHARDED.numDevPages()).isEqualTo(24);
        assertThat(SHARDED.maxPagesPerBank()).isEqualTo(4);
        assertThat(SHARDED.alignedSizePerBank()).isEqualTo(4 * 128);
    }

    @Test
    void takesNothingWhereThereAreNoBanks() {
        BankLayout nowhere = new BankLayout(BufferConfig.of(L1, 64, 64), 0, 16);

        assertThat(nowhere.maxPagesPerBank()).isZero();
        assertThat(nowhere.alignedSizePerBank()).isZero();
    }

    @Test
    void staysLargerThanAnyMemoryWhereItCannotBeCounted() {
        BankLayout huge = new BankLayout(BufferConfig.of(DRAM, Long.MAX_VALUE, 1), 12, 32);

        assertThat(huge.alignedSize()).isEqualTo(Long.MAX_VALUE / 32 * 32);
    }

    @Test
    void staysLargerThanAnyMemoryWhereItsShardsCannotBeCounted() {
        CoreRangeSet cores = CoreRangeSet.of(new CoreRange(0, 0, 7, 7));

        BankLayout huge = new BankLayout(BufferConfig.of(L1, 64, 64).sharded(cores, Long.MAX_VALUE), 64, 16);

        assertThat(huge.alignedSize()).isEqualTo(Long.MAX_VALUE / 64 * 64);
    }

    @Test
    void needsAnAlignment() {
        assertIllegalArgument(
                () -> new BankLayout(BufferConfig.of(DRAM, 64, 64), 12, 0),
                "Cannot lay a buffer out in 12 banks of DRAM with pages rounded up to 0 B:"
                        + " there must be at least 0 banks, and pages of at least 1 B");
    }
}
