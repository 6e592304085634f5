package dev.meshguard.mesh.allocator;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/**
 * The addresses that the runtime's own tests of its free lists expect.
 *
 * <p>Figures of {@code tests/tt_metal/tt_metal/api/allocator/test_free_list_opt_allocator.cpp} and of
 * {@code test_free_list_allocator.cpp}, whose older list searches as the banks do. The newer list can also
 * search the smallest size class first (quirk Q6), which no bank does; its figures are those where both searches agree.
 */
class FreeListFiguresTests {

    private static final long KIB = 1_024;
    private static final long GIB = 1_024 * 1_024 * KIB;

    private static AddressRange range(long startKib, long endKib) {
        return new AddressRange(startKib * KIB, endKib * KIB);
    }

    @Nested
    class OfAGibibyteInKibibytes {

        private final InspectedFreeList list = new InspectedFreeList(GIB, 0, KIB, KIB);

        @Test
        void areKibibytesOneAfterTheOther() {
            assertThat(list.allocate(KIB, true, 0)).hasValue(0);
            assertThat(list.allocate(KIB, true, 0)).hasValue(1_024);
            assertThat(list.allocate(KIB, true, 0)).hasValue(2_048);
        }

        @Test
        void areSpacedByAKibibyteForTheAlignment() {
            var aligned = new InspectedFreeList(GIB, 0, 1, KIB);

            assertThat(aligned.allocate(64, true, 0)).hasValue(0);
            assertThat(aligned.allocate(64, true, 0)).hasValue(1_024);
        }

        @Test
        void areSpacedByAKibibyteForTheMinimum() {
            var coarse = new InspectedFreeList(GIB, 0, KIB, 1);

            assertThat(coarse.allocate(1, true, 0)).hasValue(0);
            assertThat(coarse.allocate(1, true, 0)).hasValue(1_024);
        }

        @Test
        void startAnewAfterAClear() {
            list.allocate(KIB, true, 0);
            list.allocate(KIB, true, 0);

            list.clear();

            assertThat(list.allocate(KIB, true, 0)).hasValue(0);
        }

        @Test
        void areTheSameInASecondRoundWhicheverWayTheFirstWasFreed() {
            for (long kib = 0; kib < 10; kib++) {
                assertThat(list.allocate(KIB, true, 0)).hasValue(kib * KIB);
            }
            for (long kib = 9; kib >= 0; kib--) {
                list.deallocate(kib * KIB);
            }
            for (long kib = 0; kib < 10; kib++) {
                assertThat(list.allocate(KIB, true, 0)).hasValue(kib * KIB);
            }
            for (long kib = 0; kib < 10; kib++) {
                list.deallocate(kib * KIB);
            }

            assertThat(list.statistics()).isEqualTo(new Statistics(GIB, 0, GIB, GIB));
        }

        @Test
        void areGivenAtAnAddressOnlyWhereItIsFree() {
            assertThat(list.allocate(KIB, true, 0)).hasValue(0);
            assertThat(list.allocateAtAddress(1_024, KIB)).hasValue(1_024);
            assertThat(list.allocateAtAddress(1_024, KIB)).isEmpty();
            assertThat(list.allocateAtAddress(2_048, KIB)).hasValue(2_048);

            list.deallocate(0);

            assertThat(list.allocateAtAddress(0, KIB)).hasValue(0);
        }

        @Test
        void areNotGivenBelowAShrinkAndComeBackWithTheReset() {
            list.allocate(KIB, true, 0);
            list.allocate(KIB, true, 0);
            list.deallocate(0);

            list.shrinkSize(KIB);
            assertThat(list.allocateAtAddress(0, KIB)).isEmpty();
            assertThat(list.allocateAtAddress(1_024, KIB)).isEmpty();

            list.resetSize();
            list.deallocate(1_024);
            assertThat(list.allocate(2 * KIB, true, 0)).hasValue(0);
        }

        @Test
        void areCountedWhileAllocated() {
            list.allocate(KIB, true, 0);
            list.allocate(KIB, true, 0);
            list.deallocate(0);

            assertThat(list.statistics()).isEqualTo(new Statistics(GIB, 1_024, GIB - 1_024, GIB - 2_048));
        }

        @Test
        void areTheHighestFromTheTop() {
            assertThat(list.allocate(KIB, false, 0)).hasValue(1_073_740_800);
            assertThat(list.allocate(KIB, false, 0)).hasValue(1_073_739_776);
            assertThat(list.allocate(KIB, true, 0)).hasValue(0);
        }

        @Test
        void areThoseOfTheMergedBlock() {
            list.allocate(KIB, true, 0);
            list.allocate(KIB, true, 0);
            list.allocate(KIB, true, 0);

            list.deallocate(1_024);
            list.deallocate(0);

            assertThat(list.allocate(2 * KIB, true, 0)).hasValue(0);
        }

        @Test
        void areThoseOfTheMergedBlockAlsoAfterAShrinkAndAReset() {
            list.allocate(KIB, true, 0);
            list.allocate(KIB, true, 0);
            list.allocate(KIB, true, 0);
            list.deallocate(1_024);
            list.deallocate(0);

            list.shrinkSize(KIB);
            assertThat(list.allocate(2 * KIB, true, 0)).hasValue(3 * KIB);
            list.resetSize();

            assertThat(list.allocate(2 * KIB, true, 0)).hasValue(0);
        }

        @Test
        void areNoneWhenTheMemoryIsOut() {
            assertThat(list.allocate(GIB, true, 0)).hasValue(0);
            assertThat(list.allocate(KIB, true, 0)).isEmpty();

            list.clear();

            assertThat(list.allocate(GIB - KIB, true, 0)).hasValue(0);
            assertThat(list.allocate(2 * KIB, true, 0)).isEmpty();
        }

        @Test
        void areAvailableInEveryBlockThatIsLargeEnough() {
            list.allocate(KIB, true, 0);
            assertThat(list.availableAddresses(KIB)).containsExactly(range(1, 1_048_576));

            list.allocate(KIB, true, 0);
            list.allocate(KIB, true, 0);
            list.deallocate(1_024);

            assertThat(list.availableAddresses(KIB)).containsExactly(range(1, 2), range(3, 1_048_576));
            assertThat(list.availableAddresses(10 * KIB)).containsExactly(range(3, 1_048_576));
        }

        @Test
        void leaveTheLowestOccupiedOneBehindAsTheyAreFreed() {
            list.allocate(KIB, true, 0);
            list.allocate(KIB, true, 0);
            list.allocate(KIB, true, 0);

            assertThat(list.lowestOccupiedAddress()).hasValue(0);
            list.deallocate(0);
            assertThat(list.lowestOccupiedAddress()).hasValue(1_024);
            list.deallocate(1_024);
            assertThat(list.lowestOccupiedAddress()).hasValue(2_048);
            list.deallocate(2_048);
            assertThat(list.lowestOccupiedAddress()).isEmpty();
        }

        @Test
        void areTheLowestOccupiedOnesAlsoWhenGivenAtAnAddress() {
            list.allocateAtAddress(1_024, KIB);

            assertThat(list.lowestOccupiedAddress()).hasValue(1_024);
            list.deallocate(1_024);
            assertThat(list.lowestOccupiedAddress()).isEmpty();
        }
    }

    @Nested
    class OfAGibibyteInKibibytesOfTheOlderList {

        private final InspectedFreeList list = new InspectedFreeList(GIB, 0, KIB, KIB);

        @Test
        void areTheLowestThatFitWhateverTheSizeOfTheBlock() {
            assertThat(list.allocate(KIB, true, 0)).hasValue(0);
            assertThat(list.allocate(3 * KIB, true, 0)).hasValue(1_024);
            assertThat(list.allocate(KIB, true, 0)).hasValue(4 * KIB);
            assertThat(list.allocate(KIB, true, 0)).hasValue(5 * KIB);
            assertThat(list.allocate(KIB, true, 0)).hasValue(6 * KIB);
            list.deallocate(1_024);
            list.deallocate(5 * KIB);

            assertThat(list.allocate(KIB, true, 0)).hasValue(1_024);
        }

        @Test
        void areTopDownTheHighestWhateverTheSizeOfTheBlock() {
            list.allocateAtAddress(32 * KIB, KIB);

            assertThat(list.allocate(KIB, true, 0)).hasValue(0);
            assertThat(list.allocate(KIB, false, 0)).hasValue(1_073_740_800);
            assertThat(list.allocate(KIB, true, 0)).hasValue(1_024);
        }
    }

    @Nested
    class OfAKibibyteInThirtyTwos {

        private final InspectedFreeList list = new InspectedFreeList(KIB, 0, 32, 32);

        @Test
        void areThoseOfALongSeries() {
            assertThat(list.allocate(32, true, 0)).hasValue(0);
            assertThat(list.allocateAtAddress(64, 32)).hasValue(64);
            assertThat(list.allocate(48, true, 0)).hasValue(96);
            assertThat(list.allocate(16, true, 0)).hasValue(32);
            assertThat(list.allocateAtAddress(512, 128)).hasValue(512);

            list.deallocate(96);
            assertThat(list.allocateAtAddress(128, 64)).hasValue(128);
            assertThat(list.allocate(32, true, 0)).hasValue(96);

            list.deallocate(32);
            list.deallocate(64);
            assertThat(list.allocate(64, true, 0)).hasValue(32);
            assertThat(list.allocate(316, true, 0)).hasValue(192);

            list.deallocate(32);
            list.deallocate(128);
            list.deallocate(96);
            assertThat(list.allocateAtAddress(64, 96)).hasValue(64);

            list.deallocate(192);
            assertThat(list.allocateAtAddress(256, 128)).hasValue(256);

            list.deallocate(0);
            assertThat(list.allocate(28, true, 0)).hasValue(0);
            assertThat(list.allocate(64, false, 0)).hasValue(960);
            assertThat(list.allocate(128, false, 0)).hasValue(832);
            assertThat(list.allocateAtAddress(736, 96)).hasValue(736);
            assertThat(list.allocate(96, false, 0)).hasValue(640);
            assertThat(list.allocate(96, false, 0)).hasValue(416);

            list.deallocate(416);
            list.deallocate(512);
            assertThat(list.allocate(224, true, 0)).hasValue(384);
        }

        @Test
        void areTheWholeOnceEverythingIsFree() {
            list.allocate(32, true, 0);
            list.clear();

            assertThat(list.allocate(1_024, true, 0)).hasValue(0);
            list.deallocate(0);

            assertThat(list.allocate(64, true, 0)).hasValue(0);
            assertThat(list.allocate(960, true, 0)).hasValue(64);
        }

        @Test
        void startAtTheShrinkUntilTheReset() {
            assertThat(list.allocate(32, false, 0)).hasValue(992);
            list.shrinkSize(64);
            assertThat(list.allocate(32, false, 0)).hasValue(960);
            assertThat(list.allocate(32, true, 0)).hasValue(64);

            list.resetSize();
            assertThat(list.allocate(32, true, 0)).hasValue(0);
            assertThat(list.allocate(32, true, 0)).hasValue(32);
            list.deallocate(0);
            assertThat(list.allocate(64, true, 0)).hasValue(96);

            list.shrinkSize(32);
            list.deallocate(32);
            assertThat(list.allocate(32, true, 0)).hasValue(32);
        }

        @Test
        void areNoneWhereTheShrinkLeavesOnlyWhatIsTaken() {
            assertThat(list.allocateAtAddress(32, 992)).hasValue(32);
            list.shrinkSize(32);
            assertThat(list.allocate(32, false, 0)).isEmpty();
            assertThat(list.allocateAtAddress(0, 32)).isEmpty();

            list.deallocate(32);
            assertThat(list.allocate(32, true, 0)).hasValue(32);
            assertThat(list.allocate(32, false, 0)).hasValue(992);

            list.resetSize();
            assertThat(list.allocate(32, true, 0)).hasValue(0);
            list.deallocate(32);
            assertThat(list.allocate(32, true, 0)).hasValue(32);
        }
    }
}
