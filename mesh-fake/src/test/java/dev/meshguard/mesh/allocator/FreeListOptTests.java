package dev.meshguard.mesh.allocator;

import static dev.meshguard.mesh.allocator.SearchPolicy.BEST;
import static dev.meshguard.mesh.allocator.SearchPolicy.FIRST;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.OptionalInt;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class FreeListOptTests {

    private static final long KIB = 1_024;

    private static FreeListOpt list(long maxSize, SearchPolicy policy) {
        return new FreeListOpt(maxSize, 0, 32, 32, policy);
    }

    private static AddressRange range(long start, long end) {
        return new AddressRange(start, end);
    }

    private static MemoryBlock free(int id, long address, long size, int previous, int next) {
        return new MemoryBlock(id, address, size, id(previous), id(next), false);
    }

    private static MemoryBlock allocated(int id, long address, long size, int previous, int next) {
        return new MemoryBlock(id, address, size, id(previous), id(next), true);
    }

    private static OptionalInt id(int slot) {
        return slot < 0 ? OptionalInt.empty() : OptionalInt.of(slot);
    }

    @Nested
    class Allocating {

        @ParameterizedTest
        @EnumSource
        void takesTheLowEndWhenSearchingBottomUp(SearchPolicy policy) {
            var list = list(4 * KIB, policy);

            assertThat(list.allocate(KIB, true, 0)).hasValue(0);
            assertThat(list.allocate(KIB, true, 0)).hasValue(1_024);
        }

        @ParameterizedTest
        @EnumSource
        void takesTheHighEndWhenSearchingTopDown(SearchPolicy policy) {
            var list = list(4 * KIB, policy);

            assertThat(list.allocate(KIB, false, 0)).hasValue(3_072);
            assertThat(list.allocate(KIB, false, 0)).hasValue(2_048);
        }

        @Test
        void addsTheOffsetToEveryAddress() {
            var list = new FreeListOpt(4 * KIB, 2_560_032, 32, 32, FIRST);

            assertThat(list.allocate(KIB, true, 0)).hasValue(2_560_032);
            assertThat(list.allocate(KIB, false, 0)).hasValue(2_563_104);
        }

        @ParameterizedTest
        @CsvSource({"0, 64", "1, 64", "64, 64", "65, 96", "96, 96"})
        void roundsTheSizeUpToTheMinimumAndThenToTheAlignment(long size, long rounded) {
            var list = new FreeListOpt(4 * KIB, 0, 50, 32, FIRST);

            list.allocate(size, true, 0);

            assertThat(list.getAllocationSize(0)).hasValue(rounded);
        }

        @Test
        void findsNothingWhenNoBlockIsLargeEnough() {
            var list = list(4 * KIB, FIRST);
            list.allocate(KIB, true, 0);

            assertThat(list.allocate(3 * KIB + 1, true, 0)).isEmpty();
            assertThat(list.allocate(3 * KIB, true, 0)).hasValue(1_024);
            assertThat(list.allocate(1, true, 0)).isEmpty();
        }

        @Test
        void findsNothingForASizeThatCannotBeRounded() {
            assertThat(list(4 * KIB, FIRST).allocate(Long.MAX_VALUE, true, 0)).isEmpty();
        }

        @Test
        void hasNoRoomWhenItManagesNothing() {
            var list = list(0, FIRST);

            assertThat(list.allocate(0, true, 0)).isEmpty();
            assertThat(list.statistics()).isEqualTo(new Statistics(0, 0, 0, 0));
            assertThat(list.memoryBlockTable()).containsExactly(free(0, 0, 0, -1, -1));
        }

        /** First looks through all classes, best only through the smallest that fits; bottom-up is true. */
        @ParameterizedTest
        @CsvSource({"FIRST, true, 0", "FIRST, false, 31744", "BEST, true, 8192", "BEST, false, 12288"})
        void takesTheOutermostFitOfAllClassesOrOfTheSmallest(SearchPolicy policy, boolean bottomUp, long address) {
            assertThat(withHoles(policy).allocate(KIB, bottomUp, 0)).hasValue(address);
        }

        @Test
        void overlooksATighterFitFurtherOnInTheSameClassEvenWhenBest() {
            var list = list(64 * KIB, BEST);
            hole(list, 0, 1_984);
            hole(list, 8_192, 1_024);

            assertThat(list.allocate(KIB, true, 0)).hasValue(0);
        }

        @Test
        void passesOverBlocksOfTheSameClassThatAreTooSmall() {
            var list = list(64 * KIB, BEST);
            hole(list, 0, 2_048);
            hole(list, 8_192, 3_072);

            assertThat(list.allocate(3_000, true, 0)).hasValue(8_192);
        }

        /** Holes of 4096 at 0, 1024 at 8192 and 12288, and 4096 at 28672, with the rest taken. */
        private FreeListOpt withHoles(SearchPolicy policy) {
            var list = list(32 * KIB, policy);
            list.allocate(32 * KIB, true, 0);
            list.clear();
            list.allocateAtAddress(4_096, 4_096);
            list.allocateAtAddress(9_216, 3_072);
            list.allocateAtAddress(13_312, 15_360);
            return list;
        }

        /** Leaves exactly one free block of a size at an address, with a taken block behind it. */
        private void hole(FreeListOpt list, long address, long size) {
            list.allocateAtAddress(address + size, 8_192 - size);
        }
    }

    @Nested
    class SizeClasses {

        @Test
        void putEverythingBelow2048IntoTheFirstClass() {
            var list = list(8 * KIB, BEST);
            list.allocateAtAddress(2_016, 32);
            list.allocateAtAddress(2_080, 6_112);

            assertThat(list.availableAddresses(1)).containsExactly(range(0, 2_016), range(2_048, 2_080));
        }

        @Test
        void putABlockOf2048IntoTheSecondClass() {
            var list = list(8 * KIB, BEST);
            list.allocateAtAddress(2_048, 32);
            list.allocateAtAddress(2_112, 6_080);

            assertThat(list.availableAddresses(1)).containsExactly(range(2_080, 2_112), range(0, 2_048));
        }

        @Test
        void putEverythingFrom128MibUpwardsIntoTheLastClass() {
            var list = list(1_024 * KIB * KIB, BEST);
            list.allocateAtAddress(512 * KIB * KIB, 32);
            list.allocateAtAddress(800 * KIB * KIB, 224 * KIB * KIB);

            assertThat(list.availableAddresses(1))
                    .containsExactly(range(0, 536_870_912), range(536_870_944, 838_860_800));
            assertThat(list.allocate(32, true, 0)).hasValue(0);
        }

        @Test
        void areTwoEvenForATinyList() {
            var list = list(4 * KIB, BEST);
            list.allocateAtAddress(2_048, 32);
            list.allocateAtAddress(2_112, 1_984);

            assertThat(list.availableAddresses(1)).containsExactly(range(2_080, 2_112), range(0, 2_048));
        }

        @Test
        void growInNumberWithTheManagedSize() {
            var list = list(16 * KIB, BEST);
            list.allocateAtAddress(8_192, 32);
            list.allocateAtAddress(12_320, 4_064);

            assertThat(list.availableAddresses(1)).containsExactly(range(8_224, 12_320), range(0, 8_192));
        }
    }

    @Nested
    class AllocatingBelowALimit {

        @Test
        void failsAndKeepsTheBlockWithoutCountingItAsLowestOccupied() {
            var list = new FreeListOpt(4 * KIB, 1_024, 32, 32, FIRST);

            assertThatExceptionOfType(DeviceOutOfMemoryException.class)
                    .isThrownBy(() -> list.allocate(KIB, true, 1_056))
                    .withMessage("Out of Memory: Cannot allocate at an address below 1056. Allocation at 1024");
            assertThat(list.allocatedAddresses()).containsExactly(range(1_024, 2_048));
            assertThat(list.lowestOccupiedAddress()).isEmpty();
        }

        @Test
        void succeedsAtTheLimitItself() {
            var list = new FreeListOpt(4 * KIB, 1_024, 32, 32, FIRST);

            assertThat(list.allocate(KIB, true, 1_024)).hasValue(1_024);
        }

        @Test
        void doesNotGuideTheSearchToAHigherBlock() {
            var list = list(4 * KIB, FIRST);
            list.allocateAtAddress(1_024, 1_024);

            assertThatExceptionOfType(DeviceOutOfMemoryException.class)
                    .isThrownBy(() -> list.allocate(KIB, true, 2_048))
                    .withMessage("Out of Memory: Cannot allocate at an address below 2048. Allocation at 0");
        }

        @Test
        void leavesABlockWhoseReleaseFailsWhenNothingElseWasEverAllocated() {
            var list = list(4 * KIB, FIRST);
            assertThatExceptionOfType(DeviceOutOfMemoryException.class).isThrownBy(() -> list.allocate(KIB, true, 32));

            assertThatExceptionOfType(MeshRuntimeException.class)
                    .isThrownBy(() -> list.deallocate(0))
                    .withMessage("Lowest occupied address should have a value");
            assertThat(list.allocatedAddresses()).containsExactly(range(0, 1_024));
        }

        @Test
        void leavesABlockThatCanBeReleasedOnceSomethingElseIsAllocated() {
            var list = list(4 * KIB, FIRST);
            assertThatExceptionOfType(DeviceOutOfMemoryException.class).isThrownBy(() -> list.allocate(KIB, true, 32));
            list.allocate(KIB, true, 0);

            list.deallocate(0);

            assertThat(list.allocatedAddresses()).containsExactly(range(1_024, 2_048));
            assertThat(list.lowestOccupiedAddress()).hasValue(1_024);
        }
    }

    @Nested
    class AllocatingAtAnAddress {

        @Test
        void splitsTheBlockAroundIt() {
            var list = new FreeListOpt(4 * KIB, 1_024, 32, 32, FIRST);

            assertThat(list.allocateAtAddress(2_048, 1_000)).hasValue(2_048);
            assertThat(list.availableAddresses(1)).containsExactly(range(1_024, 2_048), range(3_072, 5_120));
            assertThat(list.lowestOccupiedAddress()).hasValue(2_048);
        }

        @Test
        void needsNoAlignedAddress() {
            var list = list(4 * KIB, FIRST);

            assertThat(list.allocateAtAddress(33, 32)).hasValue(33);
            assertThat(list.allocatedAddresses()).containsExactly(range(33, 65));
        }

        @Test
        void findsNothingWhereABlockIsTaken() {
            var list = list(4 * KIB, FIRST);
            list.allocateAtAddress(1_024, 1_024);

            assertThat(list.allocateAtAddress(1_024, 32)).isEmpty();
            assertThat(list.allocateAtAddress(992, 64)).isEmpty();
            assertThat(list.allocateAtAddress(2_016, 64)).isEmpty();
        }

        @Test
        void findsNothingOutsideTheManagedRange() {
            var list = new FreeListOpt(4 * KIB, 1_024, 32, 32, FIRST);

            assertThat(list.allocateAtAddress(0, 32)).isEmpty();
            assertThat(list.allocateAtAddress(5_120, 32)).isEmpty();
            assertThat(list.allocateAtAddress(5_088, 33)).isEmpty();
            assertThat(list.allocateAtAddress(1_024, Long.MAX_VALUE)).isEmpty();
        }

        @Test
        void findsNothingInThePartThatWasGivenUp() {
            var list = list(4 * KIB, FIRST);
            list.shrinkSize(KIB);

            assertThat(list.allocateAtAddress(992, 32)).isEmpty();
            assertThat(list.allocateAtAddress(4_064, 32)).hasValue(4_064);
        }
    }

    @Nested
    class Deallocating {

        @Test
        void ignoresAnAddressAtWhichNoAllocatedBlockStarts() {
            var list = list(4 * KIB, FIRST);
            list.allocate(KIB, true, 0);

            list.deallocate(32);
            list.deallocate(1_024);
            list.deallocate(-1);

            assertThat(list.allocatedAddresses()).containsExactly(range(0, 1_024));
        }

        @Test
        void doesNothingTheSecondTime() {
            var list = list(4 * KIB, FIRST);
            list.allocate(KIB, true, 0);

            list.deallocate(0);
            list.deallocate(0);

            assertThat(list.memoryBlockTable()).containsExactly(free(0, 0, 4_096, -1, -1));
        }

        @Test
        void releasesWhateverBlockStartsThereNow() {
            var list = list(4 * KIB, FIRST);
            list.allocate(KIB, true, 0);
            list.deallocate(0);
            list.allocate(2 * KIB, true, 0);

            list.deallocate(0);

            assertThat(list.allocatedAddresses()).isEmpty();
        }

        @Test
        void movesTheLowestOccupiedAddressUpToTheNextBlock() {
            var list = list(4 * KIB, FIRST);
            list.allocate(KIB, true, 0);
            list.allocate(KIB, false, 0);

            list.deallocate(0);

            assertThat(list.lowestOccupiedAddress()).hasValue(3_072);
        }

        @Test
        void leavesTheLowestOccupiedAddressWhenAHigherBlockIsReleased() {
            var list = list(4 * KIB, FIRST);
            list.allocate(KIB, true, 0);
            list.allocate(KIB, true, 0);

            list.deallocate(1_024);

            assertThat(list.lowestOccupiedAddress()).hasValue(0);
        }

        @Test
        void leavesNoLowestOccupiedAddressWhenNothingIsAllocated() {
            var list = list(4 * KIB, FIRST);
            list.allocate(KIB, true, 0);

            list.deallocate(0);

            assertThat(list.lowestOccupiedAddress()).isEmpty();
        }
    }

    @Nested
    class BlockTable {

        @Test
        void startsWithOneFreeBlockInSlotZero() {
            assertThat(list(4 * KIB, FIRST).memoryBlockTable()).containsExactly(free(0, 0, 4_096, -1, -1));
        }

        @Test
        void keepsTheSlotForTheAllocatedPartAndGivesTheRestANewOne() {
            var list = list(4 * KIB, FIRST);

            list.allocate(KIB, true, 0);

            assertThat(list.memoryBlockTable())
                    .containsExactly(allocated(0, 0, 1_024, -1, 1), free(1, 1_024, 3_072, 0, -1));
        }

        @Test
        void givesTheLowerRestANewSlotWhenAllocatingTopDown() {
            var list = list(4 * KIB, FIRST);

            list.allocate(KIB, false, 0);

            assertThat(list.memoryBlockTable())
                    .containsExactly(allocated(0, 3_072, 1_024, 1, -1), free(1, 0, 3_072, -1, 0));
        }

        @Test
        void numbersTheLowerRestBeforeTheUpperOne() {
            var list = list(4 * KIB, FIRST);

            list.allocateAtAddress(1_024, 1_024);

            assertThat(list.memoryBlockTable())
                    .containsExactly(
                            allocated(0, 1_024, 1_024, 1, 2), free(1, 0, 1_024, -1, 0), free(2, 2_048, 2_048, 0, -1));
        }

        @Test
        void showsAddressesWithoutTheOffset() {
            var list = new FreeListOpt(4 * KIB, 1_024, 32, 32, FIRST);

            list.allocate(4 * KIB, true, 0);

            assertThat(list.memoryBlockTable()).containsExactly(allocated(0, 0, 4_096, -1, -1));
        }

        @Test
        void keepsTheSlotOfTheLowerBlockWhenBlocksMerge() {
            var list = list(4 * KIB, FIRST);
            list.allocate(KIB, true, 0);
            list.allocate(KIB, true, 0);
            list.allocate(2 * KIB, true, 0);
            list.deallocate(0);

            list.deallocate(1_024);

            assertThat(list.memoryBlockTable())
                    .containsExactly(free(0, 0, 2_048, -1, 2), allocated(2, 2_048, 2_048, 0, -1));
        }

        @Test
        void usesTheSlotReleasedLastFirst() {
            var list = list(4 * KIB, FIRST);
            list.allocate(KIB, true, 0);
            list.allocate(KIB, true, 0);
            list.allocate(KIB, true, 0);
            list.deallocate(0);
            list.deallocate(2_048);
            list.deallocate(1_024);

            list.allocateAtAddress(1_024, 1_024);

            assertThat(list.memoryBlockTable())
                    .containsExactly(
                            allocated(0, 1_024, 1_024, 2, 1), free(1, 2_048, 2_048, 0, -1), free(2, 0, 1_024, -1, 0));
        }

        @Test
        void listsAllocatedAddressesBySlotAndNotByAddress() {
            var list = list(4 * KIB, FIRST);
            list.allocate(KIB, false, 0);
            list.allocate(KIB, true, 0);

            assertThat(list.allocatedAddresses()).containsExactly(range(3_072, 4_096), range(0, 1_024));
        }
    }

    @Nested
    class Querying {

        @Test
        void listsTheWholeOfEveryBlockThatIsLargeEnough() {
            var list = new FreeListOpt(8 * KIB, 1_024, 32, 32, FIRST);
            list.allocateAtAddress(2_048, 1_024);

            assertThat(list.availableAddresses(1_025)).containsExactly(range(3_072, 9_216));
            assertThat(list.availableAddresses(1_024)).containsExactly(range(1_024, 2_048), range(3_072, 9_216));
        }

        @Test
        void knowsTheRoundedSizeOfAnAllocatedBlockOnly() {
            var list = list(4 * KIB, FIRST);
            list.allocate(33, true, 0);

            assertThat(list.getAllocationSize(0)).hasValue(64);
            assertThat(list.getAllocationSize(64)).isEmpty();
            assertThat(list.getAllocationSize(1)).isEmpty();
        }

        @Test
        void countsAllocatedAndFreeBytesAndTheLargestFreeBlock() {
            var list = list(8 * KIB, FIRST);
            list.allocateAtAddress(1_024, 1_024);

            assertThat(list.statistics()).isEqualTo(new Statistics(8_192, 1_024, 7_168, 6_144));
        }

        @Test
        void countsNoFreeBytesWhenFull() {
            var list = list(8 * KIB, FIRST);
            list.allocate(8 * KIB, true, 0);

            assertThat(list.statistics()).isEqualTo(new Statistics(8_192, 8_192, 0, 0));
        }

        @Test
        void hasNoLowestOccupiedAddressAtFirst() {
            assertThat(list(4 * KIB, FIRST).lowestOccupiedAddress()).isEmpty();
        }
    }

    @Nested
    class Clearing {

        @Test
        void startsAnewWithOneFreeBlockInSlotZero() {
            var list = list(4 * KIB, FIRST);
            list.allocate(KIB, false, 0);
            list.allocate(KIB, false, 0);

            list.clear();

            assertThat(list.memoryBlockTable()).containsExactly(free(0, 0, 4_096, -1, -1));
            assertThat(list.statistics()).isEqualTo(new Statistics(4_096, 0, 4_096, 4_096));
            assertThat(list.getAllocationSize(3_072)).isEmpty();
        }

        @Test
        void revertsEveryShrink() {
            var list = list(4 * KIB, FIRST);
            list.shrinkSize(KIB);
            list.shrinkSize(KIB);

            list.clear();

            assertThat(list.memoryBlockTable()).containsExactly(free(0, 0, 4_096, -1, -1));
        }

        @Test
        void leavesTheLowestOccupiedAddressAsItWas() {
            var list = list(4 * KIB, FIRST);
            list.allocateAtAddress(1_024, 32);

            list.clear();

            assertThat(list.lowestOccupiedAddress()).hasValue(1_024);
        }

        @Test
        void leavesALowestOccupiedAddressThatAHigherAllocationDoesNotMove() {
            var list = list(4 * KIB, FIRST);
            list.allocateAtAddress(1_024, 32);
            list.clear();

            list.allocateAtAddress(2_048, 32);
            list.deallocate(2_048);

            assertThat(list.lowestOccupiedAddress()).hasValue(1_024);
        }

        @Test
        void leavesALowestOccupiedAddressThatAReleaseBelowItCorrects() {
            var list = list(4 * KIB, FIRST);
            list.allocateAtAddress(1_024, 32);
            list.clear();

            list.allocateAtAddress(512, 32);
            list.deallocate(512);

            assertThat(list.lowestOccupiedAddress()).isEmpty();
        }
    }

    @Nested
    class Shrinking {

        @Test
        void takesBytesFromTheBottomAndAddsUp() {
            var list = new FreeListOpt(4 * KIB, 1_024, 32, 32, FIRST);

            list.shrinkSize(KIB);
            list.shrinkSize(32);

            assertThat(list.memoryBlockTable()).containsExactly(free(0, 1_056, 3_040, -1, -1));
            assertThat(list.statistics()).isEqualTo(new Statistics(3_040, 0, 3_040, 3_040));
            assertThat(list.allocate(32, true, 0)).hasValue(2_080);
        }

        @Test
        void doesNothingForZero() {
            var list = list(4 * KIB, FIRST);

            list.shrinkSize(0);

            assertThat(list.memoryBlockTable()).containsExactly(free(0, 0, 4_096, -1, -1));
        }

        @Test
        void removesABlockThatBecomesEmpty() {
            var list = list(4 * KIB, FIRST);
            list.allocateAtAddress(1_024, 3_072);

            list.shrinkSize(KIB);

            assertThat(list.memoryBlockTable()).containsExactly(allocated(0, 1_024, 3_072, -1, -1));
        }

        @Test
        void movesTheBlockToTheClassOfItsNewSize() {
            var list = list(8 * KIB, BEST);
            list.allocateAtAddress(2_048, 1_024);
            list.allocateAtAddress(5_120, 3_072);

            list.shrinkSize(KIB);

            assertThat(list.allocate(KIB, true, 0)).hasValue(1_024);
        }

        @Test
        void canGiveUpEverything() {
            var list = list(4 * KIB, FIRST);

            list.shrinkSize(4 * KIB);

            assertThat(list.memoryBlockTable()).isEmpty();
            assertThat(list.statistics()).isEqualTo(new Statistics(0, 0, 0, 0));
            assertThat(list.allocate(1, true, 0)).isEmpty();
        }

        @Test
        void isNotPossibleByMoreThanIsManaged() {
            var list = list(4 * KIB, FIRST);
            list.shrinkSize(KIB);

            assertThatExceptionOfType(MeshRuntimeException.class)
                    .isThrownBy(() -> list.shrinkSize(3_073))
                    .withMessage("Shrink size 3073 must be smaller than max size 3072");
        }

        @Test
        void isRejectedWhenItCutsIntoALiveBlock() {
            var list = new FreeListOpt(4 * KIB, 1_024, 32, 32, FIRST);
            list.allocateAtAddress(2_048, 1_024);
            list.shrinkSize(512);

            assertThatExceptionOfType(MeshRuntimeException.class)
                    .isThrownBy(() -> list.shrinkSize(513))
                    .withMessage("Shrink size 1025 cuts into allocated block at address 1024");
        }

        @Test
        void isRejectedWhenALiveBlockBelowTheCutHasALaterSlotThanTheFreeBlockThatHoldsTheCut() {
            var list = list(4 * KIB, FIRST);
            list.allocate(2 * KIB, false, 0);
            list.allocate(KIB, true, 0);
            list.deallocate(2_048);
            var before = list.memoryBlockTable();

            assertThat(before).containsExactly(allocated(1, 0, 1_024, -1, 2), free(2, 1_024, 3_072, 1, -1));
            assertThatExceptionOfType(MeshRuntimeException.class)
                    .isThrownBy(() -> list.shrinkSize(2 * KIB))
                    .withMessage("Shrink size 2048 cuts into allocated block at address 0");
            assertThat(list.memoryBlockTable()).isEqualTo(before);
        }
    }

    @Nested
    class ResettingTheSize {

        @Test
        void doesNothingWhenNothingWasGivenUp() {
            var list = list(4 * KIB, FIRST);
            list.allocate(KIB, true, 0);
            var before = list.memoryBlockTable();

            list.resetSize();

            assertThat(list.memoryBlockTable()).isEqualTo(before);
        }

        @Test
        void extendsAFreeLowestBlockDownwards() {
            var list = list(4 * KIB, FIRST);
            list.allocate(KIB, false, 0);
            list.shrinkSize(KIB);

            list.resetSize();

            assertThat(list.memoryBlockTable())
                    .containsExactly(allocated(0, 3_072, 1_024, 1, -1), free(1, 0, 3_072, -1, 0));
            assertThat(list.statistics()).isEqualTo(new Statistics(4_096, 1_024, 3_072, 3_072));
        }

        @Test
        void putsANewBlockBelowAnAllocatedLowestBlock() {
            var list = list(4 * KIB, FIRST);
            list.shrinkSize(KIB);
            list.allocate(KIB, true, 0);

            list.resetSize();

            assertThat(list.memoryBlockTable())
                    .containsExactly(
                            allocated(0, 1_024, 1_024, 2, 1), free(1, 2_048, 2_048, 0, -1), free(2, 0, 1_024, -1, 0));
            assertThat(list.allocate(KIB, true, 0)).hasValue(0);
        }

        @Test
        void bringsBackWhatWasGivenUpAsAWhole() {
            var list = list(4 * KIB, FIRST);
            list.shrinkSize(4 * KIB);

            list.resetSize();

            assertThat(list.memoryBlockTable()).containsExactly(free(0, 0, 4_096, -1, -1));
        }

        @Test
        void allowsTheSameShrinkAgain() {
            var list = list(4 * KIB, FIRST);
            list.shrinkSize(3 * KIB);
            list.resetSize();

            list.shrinkSize(3 * KIB);

            assertThat(list.statistics()).isEqualTo(new Statistics(1_024, 0, 1_024, 1_024));
        }
    }
}
