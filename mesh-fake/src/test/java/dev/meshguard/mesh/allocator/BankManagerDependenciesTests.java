package dev.meshguard.mesh.allocator;

import static dev.meshguard.mesh.allocator.AllocationDirection.BOTTOM_UP;
import static dev.meshguard.mesh.allocator.AllocationDirection.TOP_DOWN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.meshguard.event.BufferType;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Allocator 0 avoids allocators 1 and 2 and they avoid it, but 1 and 2 do not avoid each other. */
class BankManagerDependenciesTests {

    private static final List<AddressRange> NOTHING = List.of();

    private final BankManager banks = describe().build();

    private static BankManager.Builder describe() {
        return BankManager.builder(BufferType.L1)
                .banks(2)
                .region(new AddressRange(1_024, 5_120))
                .interleavedLimit(1_024)
                .pageAlignment(32)
                .dramAlignment(32)
                .computeCores(2)
                .dependencies(AllocatorDependencies.of(Map.of(0, List.of(1, 2))));
    }

    private static BankRequest sharded(long size, AllocationDirection direction) {
        return BankRequest.sharded(size, size, 1, direction);
    }

    @Test
    void anAllocatorAvoidsWhatTheOthersHaveTaken() {
        banks.allocate(sharded(1_024, BOTTOM_UP), 1, NOTHING);
        banks.allocate(sharded(512, TOP_DOWN), 2, NOTHING);

        assertThat(banks.allocate(sharded(32, BOTTOM_UP), 0, NOTHING)).isEqualTo(2_048);
        assertThat(banks.allocate(sharded(32, TOP_DOWN), 0, NOTHING)).isEqualTo(4_576);
    }

    @Test
    void allocatorsThatDoNotConflictMayTakeTheSameAddress() {
        assertThat(banks.allocate(sharded(1_024, BOTTOM_UP), 1, NOTHING)).isEqualTo(1_024);
        assertThat(banks.allocate(sharded(1_024, BOTTOM_UP), 2, NOTHING)).isEqualTo(1_024);
        assertThat(banks.liveAddresses()).containsExactly(1_024, 1_024);
    }

    @Test
    void theLowestGapThatIsLargeEnoughIsTakenBottomUp() {
        banks.allocate(sharded(32, BOTTOM_UP), 1, List.of(new AddressRange(1_024, 1_536)));
        banks.allocate(sharded(32, BOTTOM_UP), 2, List.of(new AddressRange(1_024, 2_048)));

        assertThat(banks.liveAddresses()).containsExactly(1_536, 2_048);
        assertThat(banks.allocate(sharded(512, BOTTOM_UP), 0, NOTHING)).isEqualTo(1_024);
        assertThat(banks.allocate(sharded(512, BOTTOM_UP), 0, NOTHING)).isEqualTo(2_080);
    }

    @Test
    void theHighestGapThatIsLargeEnoughIsTakenTopDown() {
        banks.allocate(sharded(32, TOP_DOWN), 1, List.of(new AddressRange(4_608, 5_120)));

        assertThat(banks.liveAddresses()).containsExactly(4_576);
        assertThat(banks.allocate(sharded(1_024, TOP_DOWN), 0, NOTHING)).isEqualTo(3_552);
        assertThat(banks.allocate(sharded(512, TOP_DOWN), 0, NOTHING)).isEqualTo(4_608);
    }

    @Test
    void furtherOccupiedRangesMayOverlapAndComeInAnyOrder() {
        var occupied =
                List.of(new AddressRange(2_000, 2_048), new AddressRange(1_000, 1_500), new AddressRange(1_400, 2_010));

        assertThat(banks.allocate(sharded(32, BOTTOM_UP), 0, occupied)).isEqualTo(2_048);
    }

    @Test
    void anEmptyOccupiedRangeIsInNobodysWay() {
        assertThat(banks.allocate(sharded(1_024, BOTTOM_UP), 0, List.of(new AddressRange(1_536, 1_536))))
                .isEqualTo(1_024);
    }

    @Test
    void theRestThatRoundingAddsMayReachIntoAnothersBlock() {
        var coarse = describe().pageAlignment(16).build();
        coarse.allocate(sharded(32, BOTTOM_UP), 1, List.of(new AddressRange(1_024, 1_040)));

        assertThat(coarse.liveAddresses()).containsExactly(1_040);
        assertThat(coarse.allocate(sharded(16, BOTTOM_UP), 0, NOTHING)).isEqualTo(1_024);
        assertThat(coarse.statistics(0).totalAllocated()).isEqualTo(32);
    }

    @Test
    void furtherOccupiedRangesAreAvoidedEvenWithoutDependencies() {
        var alone = describe().dependencies(AllocatorDependencies.none()).build();

        assertThat(alone.allocate(sharded(32, BOTTOM_UP), 0, List.of(new AddressRange(0, 2_048))))
                .isEqualTo(2_048);
    }

    @Test
    void theLimitOfInterleavedL1GuidesTheChoice() {
        var limited = describe().interleavedLimit(2_048).build();

        assertThat(limited.allocate(BankRequest.interleaved(32, 32, BOTTOM_UP))).isEqualTo(2_048);
    }

    @Test
    void anAddressFreedByOneIsFreeForTheOthers() {
        banks.allocate(sharded(1_024, BOTTOM_UP), 1, NOTHING);

        banks.deallocate(1_024, 1);

        assertThat(banks.allocate(sharded(32, BOTTOM_UP), 0, NOTHING)).isEqualTo(1_024);
    }

    @Test
    void anAddressIsFreedByItsOwnAllocatorOnly() {
        banks.allocate(sharded(1_024, BOTTOM_UP), 1, NOTHING);

        banks.deallocate(1_024, 2);

        assertThat(banks.statistics(1).totalAllocated()).isEqualTo(1_024);
        assertThat(banks.lowestOccupiedAddress(0, 1)).hasValue(1_024);
        assertThat(banks.lowestOccupiedAddress(0, 2)).isEmpty();
    }

    @Test
    void everythingIsFreedInAllAllocators() {
        banks.allocate(sharded(1_024, BOTTOM_UP), 1, NOTHING);
        banks.allocate(sharded(1_024, BOTTOM_UP), 0, NOTHING);

        banks.deallocateAll();

        assertThat(banks.liveAddresses()).isEmpty();
        assertThat(banks.statistics(0).totalAllocated()).isZero();
        assertThat(banks.statistics(1).totalAllocated()).isZero();
    }

    @Test
    void missingRoomIsExplainedByTheAllocatorsOwnAccount() {
        banks.allocate(sharded(3_072, BOTTOM_UP), 1, NOTHING);
        banks.allocate(sharded(512, BOTTOM_UP), 0, NOTHING);

        assertThatExceptionOfType(DeviceOutOfMemoryException.class)
                .isThrownBy(() -> banks.allocate(sharded(1_024, BOTTOM_UP), 0, NOTHING))
                .withMessage(
                        "Out of Memory: Not enough space after considering dependencies to allocate 1024 B L1 across"
                                + " 1 banks (1024 B per bank), bank size is 4096 B"
                                + " (allocated: 512 B, free: 3584 B, largest free block: 3072 B)");
    }

    @Test
    void aChosenAddressMustBeAligned() {
        assertThatExceptionOfType(MeshRuntimeException.class)
                .isThrownBy(() -> banks.allocate(sharded(32, BOTTOM_UP), 0, List.of(new AddressRange(0, 1_030))))
                .withMessage("Chosen address 1030 is not aligned to 32 B");
    }

    @Test
    void aSizeThatOnlyFitsBeforeItIsRoundedCannotBePlaced() {
        var finer = describe().pageAlignment(16).build();

        assertThatExceptionOfType(MeshRuntimeException.class)
                .isThrownBy(() -> finer.allocate(sharded(16, TOP_DOWN), 0, NOTHING))
                .withMessage("Allocator failed to place at chosen address 5104");
    }
}
