package dev.meshguard.mesh.allocator;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.event.BufferType.L1;
import static dev.meshguard.event.BufferType.L1_SMALL;
import static dev.meshguard.event.BufferType.SYSTEM_MEMORY;
import static dev.meshguard.event.BufferType.TRACE;
import static dev.meshguard.mesh.allocator.AllocationDirection.BOTTOM_UP;
import static dev.meshguard.mesh.allocator.AllocationDirection.TOP_DOWN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class AllocatorTests {

    private static final BankRequest ONE_PAGE = BankRequest.interleaved(1_024, 1_024, BOTTOM_UP);
    private static final BankRequest ONE_SHARD = BankRequest.sharded(1_024, 1_024, 1, TOP_DOWN);

    private final List<String> warnings = new ArrayList<>();
    private final UnsafeAllocationWarning warning = UnsafeAllocationWarning.to(warnings::add);
    private final Allocator allocator = Allocator.create(config().build(), warning);

    /** DRAM lends 1024 to 12288 and traces 12288 to 16384; L1 lends 2048 to 7168 and small shards 7168 to 8192. */
    private static AllocatorConfig.Builder config() {
        return AllocatorConfig.builder()
                .dramBankCount(12)
                .dramBankSize(16_384)
                .dramUnreservedBase(1_024)
                .dramAlignment(32)
                .l1BankCount(56)
                .l1Size(8_192)
                .l1UnreservedBase(2_048)
                .l1Alignment(16)
                .l1SmallSize(1_024)
                .traceRegionSize(4_096);
    }

    private static void assertRuntimeError(ThrowingCallable call, String message) {
        assertThatExceptionOfType(MeshRuntimeException.class).isThrownBy(call).withMessage(message);
    }

    @Nested
    class Regions {

        @Test
        void divideDramBetweenBuffersAndTraces() {
            assertThat(allocator.bankSize(DRAM)).isEqualTo(11_264);
            assertThat(allocator.bankSize(TRACE)).isEqualTo(4_096);
            assertThat(allocator.allocate(DRAM, ONE_PAGE)).isEqualTo(1_024);
            assertThat(allocator.allocate(TRACE, ONE_PAGE)).isEqualTo(12_288);
        }

        @Test
        void divideL1BetweenBuffersAndSmallShards() {
            assertThat(allocator.bankSize(L1)).isEqualTo(5_120);
            assertThat(allocator.bankSize(L1_SMALL)).isEqualTo(1_024);
            assertThat(allocator.allocate(L1, ONE_SHARD)).isEqualTo(6_144);
            assertThat(allocator.allocate(L1_SMALL, ONE_SHARD)).isEqualTo(7_168);
        }

        @Test
        void haveTheBanksOfTheirMemory() {
            assertThat(allocator.numBanks(DRAM)).isEqualTo(12);
            assertThat(allocator.numBanks(TRACE)).isEqualTo(12);
            assertThat(allocator.numBanks(L1)).isEqualTo(56);
            assertThat(allocator.numBanks(L1_SMALL)).isEqualTo(56);
        }

        @Test
        void haveNoBanksForSmallShardsWithoutARegionForThem() {
            var without = Allocator.create(config().l1SmallSize(0).build(), warning);

            assertThat(without.numBanks(L1_SMALL)).isZero();
            assertThat(without.bankSize(L1_SMALL)).isZero();
            assertThatExceptionOfType(DeviceOutOfMemoryException.class)
                    .isThrownBy(() -> without.allocate(L1_SMALL, ONE_SHARD))
                    .withMessage("Out of Memory: Not enough space to allocate 1024 B L1_SMALL buffer across 1 banks,"
                            + " where each bank needs to store 1024 B, but bank size is 0 B"
                            + " (allocated: 0 B, free: 0 B, largest free block: 0 B)");
        }

        @Test
        void haveNoRoomForTracesWithoutARegionForThem() {
            var without = Allocator.create(config().traceRegionSize(0).build(), warning);

            assertThat(without.bankSize(DRAM)).isEqualTo(15_360);
            assertThatExceptionOfType(DeviceOutOfMemoryException.class)
                    .isThrownBy(() -> without.allocate(TRACE, ONE_PAGE))
                    .withMessage("Out of Memory: Not enough space to allocate 1024 B TRACE buffer across 12 banks,"
                            + " where each bank needs to store 1024 B, but bank size is 0 B"
                            + " (allocated: 0 B, free: 0 B, largest free block: 0 B)");
        }

        @Test
        void alignPagesByTheirMemory() {
            assertThat(allocator.alignment(DRAM)).isEqualTo(32);
            assertThat(allocator.alignment(TRACE)).isEqualTo(32);
            assertThat(allocator.alignment(L1)).isEqualTo(16);
            assertThat(allocator.alignment(L1_SMALL)).isEqualTo(16);
        }

        @Test
        void spaceSmallL1BuffersByTheDramAlignment() {
            var small = BankRequest.sharded(16, 16, 1, TOP_DOWN);

            assertThat(allocator.allocate(L1, small)).isEqualTo(7_136);
            assertThat(allocator.allocate(L1, small)).isEqualTo(7_104);
        }

        @Test
        void neverTripTheLimitOfInterleavedL1() {
            assertThat(allocator.allocate(L1, ONE_PAGE)).isEqualTo(2_048);
        }

        @Test
        void ofASubDeviceMayHaveAnyNumberOfBanksAndNoDram() {
            var subDevice = Allocator.create(
                    AllocatorConfig.builder()
                            .dramAlignment(32)
                            .l1BankCount(3)
                            .l1Size(2_064)
                            .l1UnreservedBase(1_024)
                            .l1Alignment(16)
                            .withoutInterleaving()
                            .build(),
                    warning);

            assertThat(subDevice.bankSize(L1)).isEqualTo(1_040);
            assertThat(subDevice.bankSize(DRAM)).isZero();
        }
    }

    @Nested
    class Reservations {

        @Test
        void areAShareOfThePagesInEveryBankRoundedUpToTheDramAlignment() {
            assertThat(allocator.reservedPerBank(DRAM, BankRequest.interleaved(13 * 96, 96, BOTTOM_UP)))
                    .isEqualTo(192);
            assertThat(allocator.reservedPerBank(L1, BankRequest.sharded(2 * 48, 48, 2, TOP_DOWN)))
                    .isEqualTo(64);
        }

        @Test
        void areWhatAnAllocationTakes() {
            var request = BankRequest.sharded(10 * 48, 48, 4, TOP_DOWN);

            allocator.allocate(L1, request);

            assertThat(allocator.statistics(L1).totalAllocated())
                    .isEqualTo(allocator.reservedPerBank(L1, request))
                    .isEqualTo(160);
        }
    }

    @Nested
    class Rejecting {

        @Test
        void hostMemoryIsUnsupportedEverywhere() {
            var text = "Unsupported buffer type!";

            assertRuntimeError(() -> allocator.allocate(SYSTEM_MEMORY, ONE_PAGE), text);
            assertRuntimeError(() -> allocator.deallocate(SYSTEM_MEMORY, 0), text);
            assertRuntimeError(() -> allocator.statistics(SYSTEM_MEMORY), text);
            assertRuntimeError(() -> allocator.liveAddresses(SYSTEM_MEMORY), text);
            assertRuntimeError(() -> allocator.bankSize(SYSTEM_MEMORY), text);
            assertRuntimeError(() -> allocator.numBanks(SYSTEM_MEMORY), text);
            assertRuntimeError(() -> allocator.alignment(SYSTEM_MEMORY), text);
            assertRuntimeError(() -> allocator.shrinkSize(SYSTEM_MEMORY, 32), text);
            assertRuntimeError(() -> allocator.resetSize(SYSTEM_MEMORY), text);
            assertRuntimeError(() -> allocator.beginHighWaterMarkTracking(SYSTEM_MEMORY), text);
            assertRuntimeError(() -> allocator.endHighWaterMarkTracking(SYSTEM_MEMORY), text);
            assertRuntimeError(() -> allocator.highWaterMarks(SYSTEM_MEMORY), text);
        }

        @Test
        void smallShardsCannotBeInterleaved() {
            assertRuntimeError(
                    () -> allocator.allocate(L1_SMALL, ONE_PAGE),
                    "L1_SMALL only supports sharded allocations, see validate_num_banks");
        }

        @Test
        void nothingCanBeInterleavedWhereThatIsDisabled() {
            var subDevice = Allocator.create(config().withoutInterleaving().build(), warning);

            assertRuntimeError(
                    () -> subDevice.allocate(L1, ONE_PAGE),
                    "Interleaved allocation is disabled, see validate_num_banks");
            assertThat(subDevice.allocate(L1, ONE_SHARD)).isEqualTo(6_144);
        }

        @Test
        void dramBuffersCannotHaveMoreShardsThanThereAreComputeCores() {
            assertRuntimeError(
                    () -> allocator.allocate(DRAM, BankRequest.sharded(57 * 32, 32, 57, BOTTOM_UP)),
                    "Expected number of shards 57 to be less than or equal to total number of L1 banks 56"
                            + " in compute cores");
        }

        @Test
        void interleavingOverABankCountTheKernelsDoNotKnow() {
            assertRuntimeError(
                    () -> Allocator.create(config().l1BankCount(57).build(), warning),
                    "Invalid number of memory banks 57 for L1. Num banks must be power of 2 or have a dedicated modulo"
                            + " implementation");
        }
    }

    @Nested
    class GivingBack {

        @Test
        void isByAddressAloneSoAStaleReleaseFreesTheNextOwnersMemory() {
            long stale = allocator.allocate(DRAM, ONE_PAGE);
            allocator.deallocate(DRAM, stale);
            allocator.allocate(DRAM, ONE_PAGE);

            allocator.deallocate(DRAM, stale);

            assertThat(allocator.liveAddresses(DRAM)).isEmpty();
        }

        @Test
        void concernsOneKindOfMemoryOnly() {
            long address = allocator.allocate(DRAM, ONE_PAGE);

            allocator.deallocate(L1, address);

            assertThat(allocator.liveAddresses(DRAM)).containsExactly(1_024);
        }

        @Test
        void canBeDoneForAllKindsAtOnce() {
            allocateOneOfEachKind();

            allocator.deallocateBuffers();

            assertNothingIsLive();
            assertThat(allocator.lowestOccupiedL1Address()).isEmpty();
        }

        @Test
        void leavesTheLowestOccupiedAddressBehindWhenOnlyCleared() {
            allocateOneOfEachKind();

            allocator.clear();

            assertNothingIsLive();
            assertThat(allocator.lowestOccupiedL1Address()).hasValue(6_144);
        }

        private void allocateOneOfEachKind() {
            allocator.allocate(DRAM, ONE_PAGE);
            allocator.allocate(TRACE, ONE_PAGE);
            allocator.allocate(L1, ONE_SHARD);
            allocator.allocate(L1_SMALL, ONE_SHARD);
        }

        private void assertNothingIsLive() {
            assertThat(List.of(DRAM, TRACE, L1, L1_SMALL)).allSatisfy(type -> {
                assertThat(allocator.liveAddresses(type)).isEmpty();
                assertThat(allocator.statistics(type).totalAllocated()).isZero();
            });
        }
    }

    @Nested
    class Querying {

        @Test
        void listsLiveAddressesInAscendingOrder() {
            allocator.allocate(DRAM, BankRequest.interleaved(1_024, 1_024, TOP_DOWN));
            allocator.allocate(DRAM, ONE_PAGE);
            allocator.allocate(DRAM, ONE_PAGE);

            assertThat(allocator.liveAddresses(DRAM)).containsExactly(1_024, 2_048, 11_264);
        }

        @Test
        void countsABankOfAKind() {
            allocator.allocate(DRAM, ONE_PAGE);

            assertThat(allocator.statistics(DRAM)).isEqualTo(new Statistics(11_264, 1_024, 10_240, 10_240));
        }

        @Test
        void findsTheLowestL1AddressWithoutSmallShards() {
            allocator.allocate(L1_SMALL, ONE_SHARD);

            assertThat(allocator.lowestOccupiedL1Address()).isEmpty();
            allocator.allocate(L1, ONE_SHARD);
            assertThat(allocator.lowestOccupiedL1Address()).hasValue(6_144);
        }

        @Test
        void seesTheBankSizeShrinkAndComeBack() {
            allocator.shrinkSize(L1, 1_024);
            assertThat(allocator.bankSize(L1)).isEqualTo(4_096);
            assertThat(allocator.bankBase(L1)).isEqualTo(2_048);

            allocator.resetSize(L1);
            assertThat(allocator.bankSize(L1)).isEqualTo(5_120);
        }

        @Test
        void notesHighWaterMarksOfAKind() {
            allocator.beginHighWaterMarkTracking(DRAM);
            long address = allocator.allocate(DRAM, ONE_PAGE);
            assertThat(allocator.highWaterMarks(DRAM)).isEqualTo(new HighWaterMarks(2_048, 0));
            allocator.deallocate(DRAM, address);

            assertThat(allocator.endHighWaterMarkTracking(DRAM)).isEqualTo(new HighWaterMarks(2_048, 2_048));
        }
    }

    @Nested
    class WhileATraceExists {

        private static final String TEXT =
                "Allocating device buffers is unsafe due to the existence of an active trace."
                        + " These buffers may be corrupted once a trace is executed.";

        @Test
        void warnsAThreadOnceAndRejectsNothing() {
            allocator.markAllocationsUnsafe();

            assertThat(allocator.allocate(DRAM, ONE_PAGE)).isEqualTo(1_024);
            assertThat(allocator.allocate(DRAM, ONE_PAGE)).isEqualTo(2_048);
            assertThat(warnings).containsExactly(TEXT);
        }

        @Test
        void allocatorsThatShareTheWarningGiveItOnce() {
            var other = Allocator.create(config().build(), warning);
            allocator.markAllocationsUnsafe();
            other.markAllocationsUnsafe();

            allocator.allocate(DRAM, ONE_PAGE);
            other.allocate(DRAM, ONE_PAGE);

            assertThat(warnings).containsExactly(TEXT);
        }

        @Test
        void noOneIsWarnedOnceAllocationsAreSafeAgain() {
            allocator.markAllocationsUnsafe();
            assertThat(allocator.allocationsUnsafe()).isTrue();
            allocator.markAllocationsSafe();

            allocator.allocate(DRAM, ONE_PAGE);

            assertThat(allocator.allocationsUnsafe()).isFalse();
            assertThat(warnings).isEmpty();
        }
    }

    @Test
    void allocatesNoAddressTwiceToConcurrentThreads() throws Exception {
        var large = Allocator.create(config().dramBankSize(1_048_576).build(), warning);
        Callable<Void> churn = () -> {
            for (int i = 0; i < 2_000; i++) {
                large.deallocate(DRAM, large.allocate(DRAM, ONE_PAGE));
            }
            large.allocate(DRAM, ONE_PAGE);
            return null;
        };
        var threads = Executors.newFixedThreadPool(4);

        for (var done :
                threads.invokeAll(IntStream.range(0, 8).mapToObj(i -> churn).toList())) {
            done.get();
        }
        threads.shutdown();

        assertThat(large.liveAddresses(DRAM)).hasSize(8).doesNotHaveDuplicates();
        assertThat(large.statistics(DRAM).totalAllocated()).isEqualTo(8 * 1_024);
    }
}
