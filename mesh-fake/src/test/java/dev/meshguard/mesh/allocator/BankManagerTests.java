package dev.meshguard.mesh.allocator;

import static dev.meshguard.mesh.allocator.AllocationDirection.BOTTOM_UP;
import static dev.meshguard.mesh.allocator.AllocationDirection.TOP_DOWN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.meshguard.event.BufferType;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BankManagerTests {

    private static final AllocatorConfig CONFIG = config().build();

    private static AllocatorConfig.Builder config() {
        return AllocatorConfig.builder()
                .dramAlignment(32)
                .l1Alignment(16)
                .l1BankCount(8)
                .l1Size(1);
    }

    private static BankManager dram() {
        return dram(4, CONFIG);
    }

    private static BankManager dram(int banks, AllocatorConfig config) {
        return new BankManager(BufferType.DRAM, banks, new AddressRange(1_024, 9_216), 1_024, config);
    }

    private static BankManager l1() {
        return l1From(1_024);
    }

    private static BankManager l1From(long limit) {
        return new BankManager(BufferType.L1, 8, new AddressRange(1_024, 9_216), limit, CONFIG);
    }

    private static BankRequest interleaved(long size, long pageSize, AllocationDirection direction) {
        return BankRequest.interleaved(size, pageSize, direction);
    }

    private static BankRequest sharded(long size, long pageSize, int shards) {
        return BankRequest.sharded(size, pageSize, shards, TOP_DOWN);
    }

    @Nested
    class Allocating {

        @Test
        void takesOnePageInEveryBankForABufferSmallerThanTheBanks() {
            var banks = dram();

            banks.allocate(interleaved(2_048, 2_048, BOTTOM_UP));

            assertThat(banks.statistics()).isEqualTo(new Statistics(8_192, 2_048, 6_144, 6_144));
        }

        @Test
        void spreadsAnInterleavedBufferOverAllBanks() {
            var banks = dram();

            assertThat(banks.allocate(interleaved(8_192, 1_024, BOTTOM_UP))).isEqualTo(1_024);
            assertThat(banks.allocate(interleaved(1_024, 1_024, BOTTOM_UP))).isEqualTo(3_072);
            assertThat(banks.allocate(interleaved(1_024, 1_024, TOP_DOWN))).isEqualTo(8_192);
        }

        @Test
        void spreadsAShardedBufferOverItsShardsOnly() {
            var banks = l1();

            assertThat(banks.allocate(sharded(2_048, 1_024, 2))).isEqualTo(8_192);
            assertThat(banks.allocate(sharded(2_048, 1_024, 1))).isEqualTo(6_144);
        }

        @Test
        void takesTheLowestFitAcrossSizeClasses() {
            var banks = dram();
            banks.allocate(interleaved(16_384, 1_024, BOTTOM_UP));
            banks.allocate(interleaved(1_024, 1_024, BOTTOM_UP));
            banks.allocate(interleaved(1_024, 1_024, BOTTOM_UP));
            banks.allocate(interleaved(1_024, 1_024, BOTTOM_UP));
            banks.deallocate(1_024);
            banks.deallocate(6_144);

            assertThat(banks.allocate(interleaved(1_024, 1_024, BOTTOM_UP))).isEqualTo(1_024);
        }

        @Test
        void roundsSmallL1PagesUpToTheDramAlignment() {
            var banks = l1();

            assertThat(banks.allocate(sharded(16, 16, 1))).isEqualTo(9_184);
            assertThat(banks.allocate(sharded(16, 16, 1))).isEqualTo(9_152);
        }

        @Test
        void isRejectedForMoreShardsThanComputeCores() {
            var banks = l1();

            assertThatExceptionOfType(MeshRuntimeException.class)
                    .isThrownBy(() -> banks.allocate(sharded(288, 32, 9)))
                    .withMessage("Expected number of shards 9 to be less than or equal to total number of L1 banks 8 in"
                            + " compute cores");
        }

        @Test
        void failsWithTheWholeAccountWhenThereIsNoRoom() {
            var banks = dram();
            banks.allocate(interleaved(4_096, 1_024, BOTTOM_UP));
            banks.allocate(interleaved(4_096, 1_024, BOTTOM_UP));
            banks.deallocate(1_024);

            assertThatExceptionOfType(DeviceOutOfMemoryException.class)
                    .isThrownBy(() -> banks.allocate(interleaved(28_672, 1_024, BOTTOM_UP)))
                    .withMessage("Out of Memory: Not enough space to allocate 28672 B DRAM buffer across 4 banks,"
                            + " where each bank needs to store 7168 B, but bank size is 8192 B"
                            + " (allocated: 1024 B, free: 7168 B, largest free block: 6144 B)");
        }

        @Test
        void namesTheShardsAsTheBanksOfAShardedBufferWhenThereIsNoRoom() {
            var banks = l1();

            assertThatExceptionOfType(DeviceOutOfMemoryException.class)
                    .isThrownBy(() -> banks.allocate(sharded(20_480, 1_024, 2)))
                    .withMessage("Out of Memory: Not enough space to allocate 20480 B L1 buffer across 2 banks,"
                            + " where each bank needs to store 10240 B, but bank size is 8192 B"
                            + " (allocated: 0 B, free: 8192 B, largest free block: 8192 B)");
        }

        @Test
        void failsForASizeThatCannotBeCountedOnceItsPagesAreAligned() {
            var banks = dram();

            assertThatExceptionOfType(DeviceOutOfMemoryException.class)
                    .isThrownBy(() -> banks.allocate(interleaved(1L << 62, 1, BOTTOM_UP)))
                    .withMessage("Out of Memory: Not enough space to allocate 4611686018427387904 B DRAM buffer across"
                            + " 4 banks, where each bank needs to store 9223372036854775807 B, but bank size is 8192 B"
                            + " (allocated: 0 B, free: 8192 B, largest free block: 8192 B)");
        }

        @Test
        void takesNoMoreThanTheMinimumForASizeOfZero() {
            var banks = dram();

            banks.allocate(interleaved(0, 0, BOTTOM_UP));

            assertThat(banks.statistics().totalAllocated()).isEqualTo(32);
        }
    }

    @Nested
    class TheLimitOfInterleavedL1 {

        @Test
        void neverTriggersWhereItIsTheStartOfTheRegion() {
            var banks = l1();

            assertThat(banks.allocate(interleaved(32, 32, BOTTOM_UP))).isEqualTo(1_024);
        }

        @Test
        void leavesTheBlockReservedWhenItFails() {
            var banks = l1From(2_048);

            assertThatExceptionOfType(DeviceOutOfMemoryException.class)
                    .isThrownBy(() -> banks.allocate(interleaved(32, 32, BOTTOM_UP)))
                    .withMessage("Out of Memory: Cannot allocate at an address below 2048. Allocation at 1024");
            assertThat(banks.statistics().totalAllocated()).isEqualTo(32);
            assertThat(banks.liveAddresses()).isEmpty();
        }

        @Test
        void mustBePositive() {
            var banks = l1From(0);

            assertThatExceptionOfType(MeshRuntimeException.class)
                    .isThrownBy(() -> banks.allocate(interleaved(32, 32, TOP_DOWN)))
                    .withMessage("Address limit 0 needs to be larger than zero.");
        }

        @Test
        void doesNotConcernShardedBuffers() {
            var banks = l1From(0);

            assertThat(banks.allocate(BankRequest.sharded(32, 32, 1, BOTTOM_UP)))
                    .isEqualTo(1_024);
        }
    }

    @Nested
    class GivingBack {

        @Test
        void makesTheMemoryFreeAgain() {
            var banks = dram();
            long address = banks.allocate(interleaved(32, 32, BOTTOM_UP));

            banks.deallocate(address);

            assertThat(banks.statistics()).isEqualTo(new Statistics(8_192, 0, 8_192, 8_192));
            assertThat(banks.liveAddresses()).isEmpty();
        }

        @Test
        void ignoresAnUnknownAddress() {
            var banks = dram();
            banks.allocate(interleaved(32, 32, BOTTOM_UP));

            banks.deallocate(2_048);

            assertThat(banks.liveAddresses()).containsExactly(1_024);
        }

        @Test
        void freesEverythingThatIsAllocated() {
            var banks = dram();
            banks.allocate(interleaved(32, 32, TOP_DOWN));
            banks.allocate(interleaved(32, 32, BOTTOM_UP));

            banks.deallocateAll();

            assertThat(banks.liveAddresses()).isEmpty();
            assertThat(banks.statistics().totalAllocated()).isZero();
            assertThat(banks.lowestOccupiedAddress()).isEmpty();
        }

        @Test
        void leavesABlockThatWasReservedButNotReturned() {
            var banks = l1From(2_048);
            assertThatExceptionOfType(DeviceOutOfMemoryException.class)
                    .isThrownBy(() -> banks.allocate(interleaved(32, 32, BOTTOM_UP)));

            banks.deallocateAll();

            assertThat(banks.statistics().totalAllocated()).isEqualTo(32);
        }

        @Test
        void doesNotHappenWhenCleared() {
            var banks = dram();
            banks.allocate(interleaved(32, 32, BOTTOM_UP));

            banks.clear();

            assertThat(banks.liveAddresses()).isEmpty();
            assertThat(banks.statistics().totalAllocated()).isZero();
            assertThat(banks.lowestOccupiedAddress()).hasValue(1_024);
        }
    }

    @Nested
    class ShrinkingAndResetting {

        @Test
        void changesTheBankSize() {
            var banks = l1();

            banks.shrinkSize(1_024);
            assertThat(banks.bankSize()).isEqualTo(7_168);
            assertThat(banks.allocate(BankRequest.sharded(32, 32, 1, BOTTOM_UP)))
                    .isEqualTo(2_048);

            banks.resetSize();
            assertThat(banks.bankSize()).isEqualTo(8_192);
            assertThat(banks.allocate(BankRequest.sharded(32, 32, 1, BOTTOM_UP)))
                    .isEqualTo(1_024);
        }

        @Test
        void isNamedInTheAccountOfMissingMemory() {
            var banks = dram();
            banks.shrinkSize(1_024);

            assertThatExceptionOfType(DeviceOutOfMemoryException.class)
                    .isThrownBy(() -> banks.allocate(interleaved(32_768, 1_024, BOTTOM_UP)))
                    .withMessage("Out of Memory: Not enough space to allocate 32768 B DRAM buffer across 4 banks,"
                            + " where each bank needs to store 8192 B, but bank size is 7168 B"
                            + " (allocated: 0 B, free: 7168 B, largest free block: 7168 B)");
        }
    }

    @Nested
    class HighWaterMarking {

        @Test
        void recordsTheHighestEndsOfAllocationsAndFrees() {
            var banks = dram();
            banks.beginHighWaterMarkTracking();

            long low = banks.allocate(interleaved(40, 40, BOTTOM_UP));
            long high = banks.allocate(interleaved(32, 32, TOP_DOWN));
            banks.deallocate(low);

            assertThat(high).isEqualTo(9_184);
            assertThat(banks.highWaterMarks()).isEqualTo(new HighWaterMarks(9_216, 1_088));
        }

        @Test
        void doesNotRoundTheEndOfAnAllocation() {
            var banks = l1();
            banks.beginHighWaterMarkTracking();

            banks.allocate(BankRequest.sharded(16, 16, 1, BOTTOM_UP));
            banks.deallocate(1_024);

            assertThat(banks.highWaterMarks()).isEqualTo(new HighWaterMarks(1_040, 1_056));
        }

        @Test
        void ignoresTheReleaseOfAnUnknownAddress() {
            var banks = dram();
            banks.beginHighWaterMarkTracking();

            banks.deallocate(4_096);

            assertThat(banks.highWaterMarks()).isEqualTo(new HighWaterMarks(0, 0));
        }

        @Test
        void endsWithTheLastMarks() {
            var banks = dram();
            banks.beginHighWaterMarkTracking();
            banks.allocate(interleaved(32, 32, BOTTOM_UP));

            assertThat(banks.endHighWaterMarkTracking()).isEqualTo(new HighWaterMarks(1_056, 0));
            banks.allocate(interleaved(32, 32, BOTTOM_UP));

            assertThat(banks.highWaterMarks()).isEqualTo(new HighWaterMarks(1_056, 0));
        }

        @Test
        void beginsAnewFromZero() {
            var banks = dram();
            banks.beginHighWaterMarkTracking();
            banks.allocate(interleaved(32, 32, BOTTOM_UP));

            banks.beginHighWaterMarkTracking();

            assertThat(banks.highWaterMarks()).isEqualTo(new HighWaterMarks(0, 0));
        }
    }

    @Nested
    class CountingBanks {

        @ParameterizedTest
        @ValueSource(
                ints = {1, 2, 4, 8, 64, 7, 12, 20, 48, 56, 63, 70, 72, 80, 94, 108, 110, 117, 120, 124, 126, 130, 140})
        void allowsPowersOfTwoAndCountsWithAModuloOfTheirOwn(int banks) {
            assertThat(dram(banks, CONFIG).numBanks()).isEqualTo(banks);
        }

        @ParameterizedTest
        @ValueSource(ints = {0, 3, 11, 13, 100})
        void rejectsAnyOtherNumber(int banks) {
            assertThatExceptionOfType(MeshRuntimeException.class)
                    .isThrownBy(() -> dram(banks, CONFIG))
                    .withMessage(
                            "Invalid number of memory banks %d for DRAM. Num banks must be power of 2 or have a"
                                    + " dedicated modulo implementation",
                            banks);
        }

        @Test
        void doesNotMatterToSmallShardsOrWithoutInterleaving() {
            assertThatCode(() -> new BankManager(BufferType.L1_SMALL, 3, new AddressRange(0, 32), 0, CONFIG))
                    .doesNotThrowAnyException();
            assertThatCode(() -> dram(3, config().withoutInterleaving().build()))
                    .doesNotThrowAnyException();
        }
    }

    @Nested
    class Region {

        @Test
        void startsAtAMultipleOfTheDramAlignment() {
            assertThatExceptionOfType(IllegalArgumentException.class)
                    .isThrownBy(() -> new BankManager(BufferType.DRAM, 4, new AddressRange(40, 80), 0, CONFIG))
                    .withMessage("Cannot manage DRAM from 40: the start must be a multiple of the DRAM alignment 32."
                            + " The nearest below is 32.");
        }

        @Test
        void mayBeEmptyAnywhere() {
            assertThat(new BankManager(BufferType.DRAM, 4, new AddressRange(40, 40), 0, CONFIG).bankSize())
                    .isZero();
        }
    }
}
