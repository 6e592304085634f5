package dev.meshguard.mesh.allocator;

import static dev.meshguard.mesh.allocator.AllocationDirection.BOTTOM_UP;
import static dev.meshguard.mesh.allocator.AllocationDirection.TOP_DOWN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.meshguard.event.BufferType;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/**
 * The addresses and texts that the runtime's own tests of several allocators over the same banks expect.
 *
 * <p>Figures of {@code tests/tt_metal/tt_metal/api/allocator/test_overlapped_bank_manager.cpp} and of
 * {@code test_per_core_bank_manager.cpp}, and the one figure that holds for an L1 buffer of any device in
 * {@code test_l1_banking_allocator.cpp}.
 */
class BankManagerFiguresTests {

    private static final long MIB = 1_048_576;
    private static final List<AddressRange> NOTHING = List.of();

    private static final AllocatorDependencies INDEPENDENT =
            AllocatorDependencies.of(Map.of(0, List.of(), 1, List.of()));
    private static final AllocatorDependencies BOTH_WITH_2 =
            AllocatorDependencies.of(Map.of(0, List.of(2), 1, List.of(2)));

    private static BankManager.Builder oneBank(BufferType kind, AllocatorDependencies dependencies) {
        return BankManager.builder(kind)
                .banks(1)
                .region(new AddressRange(0, MIB))
                .pageAlignment(1_024)
                .dramAlignment(1_024)
                .dependencies(dependencies);
    }

    private static long allocate(BankManager banks, int allocator, long size, AllocationDirection direction) {
        return banks.allocate(BankRequest.interleaved(size, size, direction), allocator, NOTHING);
    }

    @Nested
    class OfTwoAllocatorsThatIgnoreEachOther {

        private final BankManager banks = oneBank(BufferType.DRAM, INDEPENDENT).build();

        @Test
        void growUpwardsEachForItself() {
            assertThat(allocate(banks, 0, 1_024, BOTTOM_UP)).isEqualTo(0);
            assertThat(allocate(banks, 1, 2_048, BOTTOM_UP)).isEqualTo(0);
            assertThat(allocate(banks, 0, 1_024, BOTTOM_UP)).isEqualTo(1_024);
            assertThat(allocate(banks, 1, 2_048, BOTTOM_UP)).isEqualTo(2_048);

            banks.deallocate(0, 1);
            assertThat(banks.lowestOccupiedAddress(0, 1)).hasValue(2_048);
            assertThat(allocate(banks, 1, 1_024, BOTTOM_UP)).isEqualTo(0);

            banks.deallocate(0, 0);
            assertThat(banks.lowestOccupiedAddress(0, 0)).hasValue(1_024);
        }

        @Test
        void growDownwardsEachForItself() {
            assertThat(allocate(banks, 0, 1_024, TOP_DOWN)).isEqualTo(1_047_552);
            assertThat(allocate(banks, 1, 2_048, TOP_DOWN)).isEqualTo(1_046_528);
            assertThat(allocate(banks, 0, 1_024, TOP_DOWN)).isEqualTo(1_046_528);
            assertThat(allocate(banks, 1, 2_048, TOP_DOWN)).isEqualTo(1_044_480);

            banks.deallocate(1_046_528, 1);
            assertThat(banks.lowestOccupiedAddress(0, 1)).hasValue(1_044_480);
            assertThat(allocate(banks, 1, 1_024, TOP_DOWN)).isEqualTo(1_047_552);

            banks.deallocate(1_047_552, 0);
            assertThat(banks.lowestOccupiedAddress(0, 0)).hasValue(1_046_528);
        }

        @Test
        void rejectAThirdAllocatorId() {
            var text = "Invalid allocator ID 2 (num_allocators=2)";

            assertThatExceptionOfType(MeshRuntimeException.class)
                    .isThrownBy(() -> allocate(banks, 2, 1_024, BOTTOM_UP))
                    .withMessage(text);
            assertThatExceptionOfType(MeshRuntimeException.class)
                    .isThrownBy(() -> banks.lowestOccupiedAddress(0, 2))
                    .withMessage(text);
            assertThatExceptionOfType(MeshRuntimeException.class)
                    .isThrownBy(() -> banks.deallocate(0, 2))
                    .withMessage(text);
            assertThatExceptionOfType(MeshRuntimeException.class)
                    .isThrownBy(() -> banks.statistics(2))
                    .withMessage(text);
            assertThatExceptionOfType(MeshRuntimeException.class)
                    .isThrownBy(() -> banks.memoryBlockTable(2))
                    .withMessage(text);
        }

        @Test
        void cannotBeShrunkOrReset() {
            assertThatExceptionOfType(MeshRuntimeException.class)
                    .isThrownBy(() -> banks.shrinkSize(1_024, true))
                    .withMessage("Expected single allocator!");
            assertThatExceptionOfType(MeshRuntimeException.class)
                    .isThrownBy(banks::resetSize)
                    .withMessage("Expected single allocator!");
        }

        @Test
        void haveABlockTableEach() {
            allocate(banks, 1, 2_048, BOTTOM_UP);

            assertThat(banks.memoryBlockTable(0)).hasSize(1);
            assertThat(banks.memoryBlockTable(1)).hasSize(2);
        }
    }

    @Nested
    class OfTwoAllocatorsThatAThirdAvoids {

        private final BankManager banks = oneBank(BufferType.DRAM, BOTH_WITH_2).build();

        @Test
        void startAnewOnceEverythingIsFreedAndCleared() {
            allocate(banks, 0, 1_024, BOTTOM_UP);
            allocate(banks, 1, 2_048, BOTTOM_UP);
            allocate(banks, 2, 1_024, BOTTOM_UP);
            assertThat(lowestOccupied()).containsExactly(0L, 0L, 2_048L);

            banks.deallocateAll();
            banks.clear();

            assertThat(lowestOccupied()).containsExactly(-1L, -1L, -1L);
            assertThat(allocate(banks, 0, 1_024, BOTTOM_UP)).isEqualTo(0);
            assertThat(allocate(banks, 1, 2_048, BOTTOM_UP)).isEqualTo(0);
            assertThat(allocate(banks, 2, 1_024, BOTTOM_UP)).isEqualTo(2_048);
        }

        @Test
        void growUpwardsAroundEachOther() {
            assertThat(allocate(banks, 0, 1_024, BOTTOM_UP)).isEqualTo(0);
            assertThat(allocate(banks, 1, 2_048, BOTTOM_UP)).isEqualTo(0);
            assertThat(allocate(banks, 1, 1_024, BOTTOM_UP)).isEqualTo(2_048);
            assertThat(allocate(banks, 2, 1_024, BOTTOM_UP)).isEqualTo(3_072);
            assertThat(allocate(banks, 0, 1_024, BOTTOM_UP)).isEqualTo(1_024);
            assertThat(allocate(banks, 1, 1_024, BOTTOM_UP)).isEqualTo(4_096);

            banks.deallocate(3_072, 2);
            assertThat(banks.lowestOccupiedAddress(0, 2)).isEmpty();
            assertThat(allocate(banks, 0, 2_048, BOTTOM_UP)).isEqualTo(2_048);
            assertThat(allocate(banks, 1, 1_024, BOTTOM_UP)).isEqualTo(3_072);

            banks.deallocate(1_024, 0);
            banks.deallocate(0, 1);
            assertThat(allocate(banks, 2, 1_024, BOTTOM_UP)).isEqualTo(1_024);
        }

        @Test
        void growDownwardsAroundEachOther() {
            assertThat(allocate(banks, 0, 1_024, TOP_DOWN)).isEqualTo(MIB - 1_024);
            assertThat(allocate(banks, 1, 2_048, TOP_DOWN)).isEqualTo(MIB - 2_048);
            assertThat(allocate(banks, 1, 1_024, TOP_DOWN)).isEqualTo(MIB - 3_072);
            assertThat(allocate(banks, 2, 1_024, TOP_DOWN)).isEqualTo(MIB - 4_096);
            assertThat(allocate(banks, 0, 1_024, TOP_DOWN)).isEqualTo(MIB - 2_048);
            assertThat(allocate(banks, 1, 1_024, TOP_DOWN)).isEqualTo(MIB - 5_120);

            banks.deallocate(MIB - 4_096, 2);
            assertThat(banks.lowestOccupiedAddress(0, 2)).isEmpty();
            assertThat(allocate(banks, 0, 2_048, TOP_DOWN)).isEqualTo(MIB - 4_096);
            assertThat(allocate(banks, 1, 1_024, TOP_DOWN)).isEqualTo(MIB - 4_096);

            banks.deallocate(MIB - 2_048, 0);
            banks.deallocate(MIB - 2_048, 1);
            assertThat(allocate(banks, 2, 1_024, TOP_DOWN)).isEqualTo(MIB - 2_048);
        }

        @Test
        void areAlignedUpwardsWhateverTheSize() {
            assertThat(allocate(banks, 0, 512, BOTTOM_UP)).isEqualTo(0);
            assertThat(allocate(banks, 2, 512, BOTTOM_UP)).isEqualTo(1_024);
            assertThat(allocate(banks, 1, 512, BOTTOM_UP)).isEqualTo(0);
            assertThat(allocate(banks, 1, 512, BOTTOM_UP)).isEqualTo(2_048);
            assertThat(allocate(banks, 0, 2_048, BOTTOM_UP)).isEqualTo(2_048);
        }

        @Test
        void areAlignedDownwardsWhateverTheSize() {
            assertThat(allocate(banks, 0, 512, TOP_DOWN)).isEqualTo(MIB - 1_024);
            assertThat(allocate(banks, 2, 512, TOP_DOWN)).isEqualTo(MIB - 2_048);
            assertThat(allocate(banks, 1, 512, TOP_DOWN)).isEqualTo(MIB - 1_024);
            assertThat(allocate(banks, 1, 512, TOP_DOWN)).isEqualTo(MIB - 3_072);
            assertThat(allocate(banks, 0, 2_048, TOP_DOWN)).isEqualTo(MIB - 4_096);
        }

        @Test
        void meetFromBothSides() {
            assertThat(allocate(banks, 0, MIB / 2, BOTTOM_UP)).isEqualTo(0);
            assertThat(allocate(banks, 0, 1_024, BOTTOM_UP)).isEqualTo(524_288);
            assertThat(allocate(banks, 1, 2_048, TOP_DOWN)).isEqualTo(1_046_528);
            assertThat(allocate(banks, 1, MIB / 2, TOP_DOWN)).isEqualTo(522_240);
            assertThatExceptionOfType(DeviceOutOfMemoryException.class)
                    .isThrownBy(() -> allocate(banks, 2, 1_024, BOTTOM_UP))
                    .withMessage(
                            "Out of Memory: Not enough space after considering dependencies to allocate 1024 B DRAM"
                                    + " across 1 banks (1024 B per bank), bank size is 1048576 B"
                                    + " (allocated: 0 B, free: 1048576 B, largest free block: 1048576 B)");

            banks.deallocate(522_240, 1);
            assertThat(allocate(banks, 2, 1_024, BOTTOM_UP)).isEqualTo(525_312);
            assertThat(allocate(banks, 2, 1_024, TOP_DOWN)).isEqualTo(1_045_504);

            banks.deallocate(0, 0);
            assertThat(allocate(banks, 2, MIB / 2, TOP_DOWN)).isEqualTo(0);
            assertThat(allocate(banks, 2, MIB / 4, BOTTOM_UP)).isEqualTo(526_336);
        }

        private List<Long> lowestOccupied() {
            return IntStream.range(0, 3)
                    .mapToObj(id -> banks.lowestOccupiedAddress(0, id).orElse(-1))
                    .toList();
        }
    }

    @Nested
    class OfInterleavedL1 {

        @Test
        void startAtTheAddressLimitWhateverTheDirection() {
            var banks = oneBank(BufferType.L1, BOTH_WITH_2)
                    .interleavedLimit(262_144)
                    .build();

            assertThat(allocate(banks, 0, 1_024, BOTTOM_UP)).isEqualTo(262_144);
            assertThat(allocate(banks, 1, MIB / 2 + 1_024, BOTTOM_UP)).isEqualTo(262_144);
            assertThatExceptionOfType(DeviceOutOfMemoryException.class)
                    .isThrownBy(() -> allocate(banks, 2, 262_144, TOP_DOWN))
                    .withMessage("Out of Memory: Not enough space after considering dependencies to allocate 262144 B"
                            + " L1 across 1 banks (262144 B per bank), bank size is 1048576 B"
                            + " (allocated: 0 B, free: 1048576 B, largest free block: 1048576 B)");
            assertThat(allocate(banks, 2, 1_024, BOTTOM_UP)).isEqualTo(787_456);

            banks.deallocateAll();

            assertThat(allocate(banks, 0, 1_024, BOTTOM_UP)).isEqualTo(262_144);
        }

        @Test
        void areAbsoluteWhereTheRegionHasAnOffset() {
            var banks = BankManager.builder(BufferType.L1)
                    .banks(1)
                    .region(new AddressRange(100_416, 1_499_136))
                    .interleavedLimit(100_432)
                    .pageAlignment(16)
                    .dramAlignment(32)
                    .dependencies(BOTH_WITH_2)
                    .build();

            assertThat(allocate(banks, 0, 4_096, TOP_DOWN)).isEqualTo(1_495_040);
            assertThat(allocate(banks, 0, 4_096, TOP_DOWN)).isEqualTo(1_490_944);
            assertThat(allocate(banks, 0, 4_096, BOTTOM_UP)).isEqualTo(100_432);
            assertThat(allocate(banks, 0, 4_096, BOTTOM_UP)).isEqualTo(104_528);
        }

        @Test
        void fillACoreFromItsTop() {
            var banks = BankManager.builder(BufferType.L1)
                    .banks(64)
                    .region(new AddressRange(103_776, 1_499_136))
                    .interleavedLimit(103_776)
                    .pageAlignment(16)
                    .dramAlignment(32)
                    .build();
            long[] kibibytes = {32, 64, 128};
            long taken = 0;

            for (int i = 0; taken + kibibytes[i % 3] * 1_024 < 1_395_360; i++) {
                long size = kibibytes[i % 3] * 1_024;
                taken += size;
                assertThat(allocate(banks, 0, size, TOP_DOWN)).isEqualTo(1_499_136 - taken);
            }

            assertThat(banks.statistics().totalFree()).isEqualTo(1_395_360 - 1_376_256);
        }
    }

    @Nested
    class OfALockStepAllocatorAndOneForEachCore {

        private static BankManager.Builder cores(int count) {
            var dependencies = new HashMap<Integer, List<Integer>>();
            dependencies.put(0, IntStream.rangeClosed(1, count).boxed().toList());
            for (int core = 1; core <= count; core++) {
                dependencies.put(core, List.of(0));
            }
            return oneBank(BufferType.DRAM, AllocatorDependencies.of(dependencies))
                    .banks(count);
        }

        private final BankManager banks = cores(2).build();

        private long ofCore(int core, long size) {
            return allocate(banks, core, size, BOTTOM_UP);
        }

        private long inLockStep(long size) {
            return allocate(banks, 0, size, BOTTOM_UP);
        }

        @Test
        void differFromCoreToCore() {
            assertThat(ofCore(1, 1_024)).isEqualTo(0);
            assertThat(ofCore(2, 8_192)).isEqualTo(0);
            assertThat(ofCore(1, 1_024)).isEqualTo(1_024);
            assertThat(ofCore(2, 1_024)).isEqualTo(8_192);
        }

        @Test
        void inLockStepAvoidThoseOfAllCores() {
            ofCore(1, 4_096);
            ofCore(2, 2_048);

            assertThat(inLockStep(1_024)).isEqualTo(4_096);
        }

        @Test
        void ofACoreAvoidThoseInLockStep() {
            inLockStep(4_096);

            assertThat(ofCore(1, 1_024)).isEqualTo(4_096);
            assertThat(ofCore(2, 1_024)).isEqualTo(4_096);
        }

        @Test
        void inLockStepReuseWhatTheCoresFree() {
            ofCore(1, 4_096);
            ofCore(2, 4_096);
            assertThat(inLockStep(1_024)).isEqualTo(4_096);

            banks.deallocate(0, 1);
            banks.deallocate(0, 2);

            assertThat(inLockStep(1_024)).isEqualTo(0);
        }

        @Test
        void scaleToAHundredAndTenCores() {
            var many = cores(110).computeCores(110).build();

            for (int core = 1; core <= 110; core++) {
                long size = core * 1_024L;
                assertThat(many.allocate(BankRequest.sharded(size, size, 1, BOTTOM_UP), core, NOTHING))
                        .isEqualTo(0);
            }

            assertThat(allocate(many, 0, 1_024, BOTTOM_UP)).isEqualTo(112_640);
        }
    }
}
