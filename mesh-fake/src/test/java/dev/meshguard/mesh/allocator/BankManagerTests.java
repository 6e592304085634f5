package dev.meshguard.mesh.allocator;

import static dev.meshguard.mesh.Rejections.assertIllegalArgument;
import static dev.meshguard.mesh.Rejections.assertOutOfMemory;
import static dev.meshguard.mesh.Rejections.assertRuntimeError;
import static dev.meshguard.mesh.allocator.AllocationDirection.BOTTOM_UP;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.BufferType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the limits of a bank manager; {@link AllocatorDifferentialTests} compares its answers within them. */
class BankManagerTests {

    private static final BankRequest PAGE = BankRequest.interleaved(32, 32, BOTTOM_UP);
    private static final BankRequest SHARD = BankRequest.sharded(32, 32, 1, BOTTOM_UP);
    private static final AllocatorConfig CONFIG = config(true);

    private static AllocatorConfig config(boolean interleaved) {
        return new AllocatorConfig(
                new AllocatorConfig.Dram(0, 0, 0, 32, 0), new AllocatorConfig.L1(8, 1, 0, 16, 0), interleaved);
    }

    private static BankManager dram(int banks, AllocatorConfig config) {
        return new BankManager(BufferType.DRAM, banks, new AddressRange(1_024, 9_216), 1_024, config);
    }

    private static BankManager l1(long limit) {
        return new BankManager(BufferType.L1, 8, new AddressRange(1_024, 9_216), limit, CONFIG);
    }

    @Test
    void failsForASizeThatCannotBeCountedOnceItsPagesAreAligned() {
        assertOutOfMemory(
                () -> dram(4, CONFIG).allocate(BankRequest.interleaved(1L << 62, 1, BOTTOM_UP)),
                "Out of Memory: Not enough space to allocate 4611686018427387904 B DRAM buffer across"
                        + " 4 banks, where each bank needs to store 9223372036854775807 B, but bank size is 8192 B"
                        + " (allocated: 0 B, free: 8192 B, largest free block: 8192 B)");
    }

    @Test
    void neverFreesABlockBelowTheLimitOfInterleavedL1() {
        var banks = l1(2_048);

        assertOutOfMemory(
                () -> banks.allocate(PAGE),
                "Out of Memory: Cannot allocate at an address below 2048. Allocation at 1024");
        banks.deallocateAll();

        assertThat(banks.statistics().totalAllocated()).isEqualTo(32);
        assertThat(banks.liveAddresses()).isEmpty();
    }

    @Test
    void needsAPositiveLimitForInterleavedL1Only() {
        var banks = l1(0);

        assertRuntimeError(() -> banks.allocate(PAGE), "Address limit 0 needs to be larger than zero.");
        assertThat(banks.allocate(SHARD)).isEqualTo(1_024);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4, 8, 64, 7, 12, 20, 48, 56, 63, 70, 72, 80, 94, 108, 110, 117, 120, 124, 126, 130, 140})
    void hasAPowerOfTwoBanksOrACountWithAModuloOfItsOwn(int banks) {
        assertThat(dram(banks, CONFIG).numBanks()).isEqualTo(banks);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 3, 11, 13, 100})
    void hasNoOtherNumberOfBanks(int banks) {
        assertRuntimeError(
                () -> dram(banks, CONFIG),
                "Invalid number of memory banks " + banks + " for DRAM. Num banks must be power of 2 or have a"
                        + " dedicated modulo implementation");
    }

    @Test
    void hasAnyNumberOfBanksForSmallShardsAndWithoutInterleaving() {
        var small = new BankManager(BufferType.L1_SMALL, 3, new AddressRange(0, 32), 0, CONFIG);

        assertThat(small.numBanks()).isEqualTo(3);
        assertThat(dram(3, config(false)).numBanks()).isEqualTo(3);
    }

    @Test
    void startsAtAMultipleOfTheDramAlignmentUnlessItIsEmpty() {
        assertIllegalArgument(
                () -> new BankManager(BufferType.DRAM, 4, new AddressRange(40, 80), 0, CONFIG),
                "Cannot manage DRAM from 40: the start must be a multiple of the DRAM alignment 32."
                        + " The nearest below is 32.");
        assertThat(new BankManager(BufferType.DRAM, 4, new AddressRange(40, 40), 0, CONFIG).bankSize())
                .isZero();
    }
}
