package dev.meshguard.mesh.allocator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.meshguard.event.BufferType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Tests addresses that are withheld for a while, in a memory whose capacity does not change. */
class WithheldAddressesTests {

    private static final long PAGE = 1_024;

    @Test
    void areNotReusedUntilEnoughOthersWereFreed() {
        Allocator allocator = withholding(2);
        long first = allocate(allocator, PAGE);
        allocator.deallocate(BufferType.DRAM, first);
        long second = allocate(allocator, PAGE);
        allocator.deallocate(BufferType.DRAM, second);
        long third = allocate(allocator, PAGE);
        allocator.deallocate(BufferType.DRAM, third);

        long fourth = allocate(allocator, PAGE);

        assertThat(List.of(first, second, third, fourth)).containsExactly(0L, 1_024L, 2_048L, 0L);
    }

    @Test
    void areReusedEarlyWhenNoOthersRemain() {
        Allocator allocator = withholding(100);
        long first = allocate(allocator, 48 * PAGE);
        allocator.deallocate(BufferType.DRAM, first);
        long second = allocate(allocator, 16 * PAGE);
        allocator.deallocate(BufferType.DRAM, second);

        long third = allocate(allocator, 32 * PAGE);

        assertThat(third).isZero();
    }

    @Test
    void lieBeyondTheEndWhenAllAreInUseInPiecesTooSmall() {
        Allocator allocator = withholding(1);
        long first = allocate(allocator, 16 * PAGE);
        allocator.deallocate(BufferType.DRAM, first);
        allocate(allocator, 16 * PAGE);

        long large = allocate(allocator, 48 * PAGE);
        long more = allocator.liveAddresses(BufferType.DRAM)[0];

        assertThat(more).isEqualTo(16 * PAGE);
        assertThat(large).isEqualTo(64 * PAGE);
    }

    @Test
    void leaveTheFiguresOfTheMemoryAsTheyAre() {
        Allocator allocator = withholding(10);
        long address = allocate(allocator, 16 * PAGE);

        allocator.deallocate(BufferType.DRAM, address);

        assertThat(allocator.statistics(BufferType.DRAM)).isEqualTo(new Statistics(64 * PAGE, 0, 64 * PAGE, 64 * PAGE));
        assertThat(allocator.liveAddresses(BufferType.DRAM)).isEmpty();
    }

    @Test
    void areNotFreedTwice() {
        Allocator allocator = withholding(10);
        long first = allocate(allocator, PAGE);
        allocator.deallocate(BufferType.DRAM, first);
        long second = allocate(allocator, PAGE);

        allocator.deallocate(BufferType.DRAM, first);

        assertThat(allocator.liveAddresses(BufferType.DRAM)).containsExactly(second);
        assertThat(allocator.statistics(BufferType.DRAM).totalAllocated()).isEqualTo(PAGE);
    }

    @Test
    void areForgottenWhenTheMemoryIsWiped() {
        Allocator allocator = withholding(10);
        allocator.deallocate(BufferType.DRAM, allocate(allocator, PAGE));

        allocator.deallocateBuffers();
        allocator.clear();

        assertThat(allocate(allocator, PAGE)).isZero();
    }

    @Test
    void areNotThoseOfMemoryThatWasGivenUp() {
        Allocator allocator = withholding(10);
        allocator.deallocate(BufferType.DRAM, allocate(allocator, 32 * PAGE));

        allocator.shrinkSize(BufferType.DRAM, 16 * PAGE);
        long whileShrunk = allocate(allocator, PAGE);
        allocator.resetSize(BufferType.DRAM);
        long afterwards = allocate(allocator, PAGE);

        assertThat(whileShrunk).isEqualTo(16 * PAGE);
        assertThat(afterwards).isZero();
    }

    @Test
    void cannotBeFewerThanNone() {
        assertThatThrownBy(() -> AllocatorConfig.builder()
                        .l1Size(1)
                        .withheldAddresses(-1)
                        .build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Cannot use -1 as the number of withheld addresses: it must be at least 0."
                        + " Set it to a number from 0 upwards.");
    }

    /**
     * Random programs on an allocator that withholds and on one that does not: the same fit and the same do not, with the same words
     * and figures, and no two buffers share an address.
     */
    @Test
    void neverChangeWhatFits() {
        long firstSeed = Long.getLong("meshguard.seed", new SplittableRandom().nextLong());

        for (long seed = firstSeed; seed < firstSeed + 300; seed++) {
            compare(seed);
        }
    }

    private static void compare(long seed) {
        Random random = new Random(seed);
        Allocator lenient = withholding(0);
        Allocator strict = withholding(random.nextInt(40));
        Map<Long, Long> strictAddresses = new HashMap<>();
        Map<Long, Long> sizes = new HashMap<>();
        List<Long> live = new ArrayList<>();
        for (int step = 0; step < 400; step++) {
            String where = "step " + step + " of -Dmeshguard.seed=" + seed;
            if (live.isEmpty() || random.nextInt(5) > 1) {
                long size = (1 + random.nextInt(1 << random.nextInt(6))) * PAGE;
                AllocationDirection direction =
                        random.nextBoolean() ? AllocationDirection.BOTTOM_UP : AllocationDirection.TOP_DOWN;
                BankRequest request = BankRequest.interleaved(size, PAGE, direction);
                String outcome = outcome(lenient, request);
                assertThat(outcome(strict, request).startsWith("Out")).as(where).isEqualTo(outcome.startsWith("Out"));
                if (outcome.startsWith("Out")) {
                    assertThat(outcome(strict, request)).as(where).isEqualTo(outcome);
                } else {
                    long[] shown = strict.liveAddresses(BufferType.DRAM);
                    long address = Long.parseLong(outcome);
                    long strictAddress = newest(shown, strictAddresses);
                    live.add(address);
                    strictAddresses.put(address, strictAddress);
                    sizes.put(strictAddress, size);
                }
            } else {
                long address = live.remove(random.nextInt(live.size()));
                lenient.deallocate(BufferType.DRAM, address);
                long strictAddress = strictAddresses.remove(address);
                strict.deallocate(BufferType.DRAM, strictAddress);
                sizes.remove(strictAddress);
            }
            assertThat(strict.statistics(BufferType.DRAM)).as(where).isEqualTo(lenient.statistics(BufferType.DRAM));
            assertThat(strict.liveAddresses(BufferType.DRAM)).as(where).hasSize(live.size());
            requireDisjoint(sizes, where);
        }
    }

    private static void requireDisjoint(Map<Long, Long> sizes, String where) {
        List<Long> starts = sizes.keySet().stream().sorted().toList();
        for (int index = 1; index < starts.size(); index++) {
            long end = starts.get(index - 1) + sizes.get(starts.get(index - 1));
            assertThat(end).as(where).isLessThanOrEqualTo(starts.get(index));
        }
    }

    private static long newest(long[] shown, Map<Long, Long> known) {
        for (long address : shown) {
            if (!known.containsValue(address)) {
                return address;
            }
        }
        throw new AssertionError("No new address");
    }

    private static String outcome(Allocator allocator, BankRequest request) {
        try {
            return Long.toString(allocator.allocate(BufferType.DRAM, request));
        } catch (DeviceOutOfMemoryException full) {
            return String.valueOf(full.getMessage());
        }
    }

    private static long allocate(Allocator allocator, long size) {
        return allocator.allocate(BufferType.DRAM, BankRequest.interleaved(size, PAGE, AllocationDirection.BOTTOM_UP));
    }

    private static Allocator withholding(int addresses) {
        AllocatorConfig config = AllocatorConfig.builder()
                .dramBankCount(1)
                .dramBankSize(64 * PAGE)
                .dramAlignment(32)
                .l1BankCount(1)
                .l1Size(PAGE)
                .withheldAddresses(addresses)
                .build();
        return Allocator.create(config, UnsafeAllocationWarning.toLog());
    }
}
