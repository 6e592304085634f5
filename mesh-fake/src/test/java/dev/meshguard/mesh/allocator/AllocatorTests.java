package dev.meshguard.mesh.allocator;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.event.BufferType.L1;
import static dev.meshguard.event.BufferType.L1_SMALL;
import static dev.meshguard.event.BufferType.SYSTEM_MEMORY;
import static dev.meshguard.event.BufferType.TRACE;
import static dev.meshguard.mesh.Rejections.assertOutOfMemory;
import static dev.meshguard.mesh.Rejections.assertRuntimeError;
import static dev.meshguard.mesh.allocator.AllocationDirection.BOTTOM_UP;
import static dev.meshguard.mesh.allocator.AllocationDirection.TOP_DOWN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.BufferType;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests what an allocator knows of its memories; {@link AllocatorDifferentialTests} compares what it allocates and frees. */
class AllocatorTests {

    private static final BankRequest ONE_PAGE = BankRequest.interleaved(1_024, 1_024, BOTTOM_UP);

    private final List<String> warnings = new ArrayList<>();
    private final UnsafeAllocationWarner warning = UnsafeAllocationWarner.to(warnings::add);
    private final Allocator allocator = Allocator.create(config(4_096, 1_024), warning);

    /** DRAM lends 1024 to 12288 and traces 12288 to 16384; L1 lends 2048 to 7168 and small shards 7168 to 8192. */
    private static AllocatorConfig config(long traceRegionSize, long l1SmallSize) {
        return new AllocatorConfig(
                new AllocatorConfig.Dram(12, 16_384, 1_024, 32, traceRegionSize),
                new AllocatorConfig.L1(56, 8_192, 2_048, 16, l1SmallSize),
                true);
    }

    @ParameterizedTest
    @CsvSource({"DRAM, 12, 32", "TRACE, 12, 32", "L1, 56, 16", "L1_SMALL, 56, 16"})
    void hasTheBanksAndTheAlignmentOfEachMemory(BufferType type, int banks, long alignment) {
        assertThat(allocator.numBanks(type)).isEqualTo(banks);
        assertThat(allocator.alignment(type)).isEqualTo(alignment);
    }

    @Test
    void hasNoRoomForTracesAndSmallShardsWithoutARegionForThem() {
        var without = Allocator.create(config(0, 0), warning);

        assertThat(without.bankSize(DRAM)).isEqualTo(15_360);
        assertThat(without.numBanks(L1_SMALL)).isZero();
        assertOutOfMemory(
                () -> without.allocate(TRACE, ONE_PAGE),
                "Out of Memory: Not enough space to allocate 1024 B TRACE buffer across 12 banks,"
                        + " where each bank needs to store 1024 B, but bank size is 0 B"
                        + " (allocated: 0 B, free: 0 B, largest free block: 0 B)");
    }

    @Test
    void ofASubDeviceHasAnyNumberOfBanksAndNoDram() {
        var subDevice = Allocator.create(
                new AllocatorConfig(
                        new AllocatorConfig.Dram(0, 0, 0, 32, 0),
                        new AllocatorConfig.L1(3, 2_064, 1_024, 16, 0),
                        false),
                warning);

        assertThat(subDevice.bankSize(L1)).isEqualTo(1_040);
        assertThat(subDevice.bankSize(DRAM)).isZero();
    }

    @Test
    void reservesAShareOfThePagesInEveryBankRoundedUpToTheDramAlignment() {
        var request = BankRequest.sharded(10 * 48, 48, 4, TOP_DOWN);

        allocator.allocate(L1, request);

        assertThat(allocator.reservedPerBank(DRAM, BankRequest.interleaved(13 * 96, 96, BOTTOM_UP)))
                .isEqualTo(192);
        assertThat(allocator.statistics(L1).totalAllocated())
                .isEqualTo(allocator.reservedPerBank(L1, request))
                .isEqualTo(160);
    }

    @Test
    void hasNoHostMemory() {
        List<ThrowingCallable> calls = List.of(
                () -> allocator.allocate(SYSTEM_MEMORY, ONE_PAGE),
                () -> allocator.deallocate(SYSTEM_MEMORY, 0),
                () -> allocator.statistics(SYSTEM_MEMORY),
                () -> allocator.liveAddresses(SYSTEM_MEMORY),
                () -> allocator.bankSize(SYSTEM_MEMORY),
                () -> allocator.numBanks(SYSTEM_MEMORY),
                () -> allocator.alignment(SYSTEM_MEMORY));

        assertThat(calls).allSatisfy(call -> assertRuntimeError(call, "Unsupported buffer type!"));
    }

    @Test
    void knowsTheBaseOfItsBanksWhateverWasRemoved() {
        allocator.shrinkSize(L1, 1_024);

        assertThat(allocator.bankBase(L1)).isEqualTo(2_048);
    }

    @Test
    void warnsOfAllocationsWhileATraceExistsAndRejectsNone() {
        allocator.markAllocationsUnsafe();

        assertThat(allocator.allocate(DRAM, ONE_PAGE)).isEqualTo(1_024);
        assertThat(allocator.allocationsUnsafe()).isTrue();
        assertThat(warnings).hasSize(1);
    }

    @Test
    void warnsOfNothingOnceAllocationsAreSafeAgain() {
        allocator.markAllocationsUnsafe();
        allocator.markAllocationsSafe();

        allocator.allocate(DRAM, ONE_PAGE);

        assertThat(allocator.allocationsUnsafe()).isFalse();
        assertThat(warnings).isEmpty();
    }
}
