package dev.meshguard.mesh.allocator;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.event.BufferType.L1;
import static dev.meshguard.event.BufferType.L1_SMALL;
import static dev.meshguard.event.BufferType.TRACE;
import static dev.meshguard.mesh.allocator.AllocationDirection.BOTTOM_UP;
import static dev.meshguard.mesh.allocator.AllocationDirection.TOP_DOWN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.BufferType;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests that concurrent threads never get the same memory from one {@link Allocator}, and that its ledger is exact afterwards.
 *
 * <p>The seed that a failure names determines each thread's choices, but not the order in which the threads run. Concurrent
 * writes to a free list can make a search endless; only such a search reaches the time limit.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class AllocatorConcurrencyTests {

    private static final int THREADS = 8;
    private static final int STEPS = 10_000;
    private static final long UNIT = 32;
    private static final List<BufferType> KINDS = List.of(DRAM, TRACE, L1, L1_SMALL);

    private final long seed = Long.getLong("meshguard.seed", new SplittableRandom().nextLong());
    private final Set<Loan> allocatedUnits = ConcurrentHashMap.newKeySet();
    private final Allocator allocator = Allocator.create(
            new AllocatorConfig(
                    new AllocatorConfig.Dram(1, 65_536, 1_024, UNIT, 8_192),
                    new AllocatorConfig.L1(1, 32_768, 2_048, 16, 8_192),
                    true),
            UnsafeAllocationWarner.to(text -> {}));

    @Test
    void memoryBelongsToOneThreadAtATimeAndTheLedgerIsExactAfterwards() throws Exception {
        var threads = Executors.newFixedThreadPool(THREADS);
        List<Callable<List<Loan>>> calls = IntStream.range(0, THREADS)
                .mapToObj(thread -> (Callable<List<Loan>>) () -> churn(new Random(seed + thread)))
                .toList();
        List<Loan> kept = new ArrayList<>();
        for (var loans : threads.invokeAll(calls)) {
            kept.addAll(loans.get());
        }
        threads.shutdown();

        for (BufferType kind : KINDS) {
            List<Loan> ofKind = kept.stream().filter(loan -> loan.kind == kind).toList();
            long taken = ofKind.stream().mapToLong(Loan::size).sum();
            assertThat(allocator.liveAddresses(kind))
                    .describedAs("%s, seed %d", kind, seed)
                    .containsExactly(
                            ofKind.stream().mapToLong(Loan::address).sorted().toArray());
            assertThat(allocator.statistics(kind).totalAllocated()).isEqualTo(taken);
            assertThat(allocator.statistics(kind).totalFree()).isEqualTo(allocator.bankSize(kind) - taken);
            ofKind.forEach(this::free);
            assertThat(allocator.statistics(kind).largestFree()).isEqualTo(allocator.bankSize(kind));
        }
        assertThat(allocator.lowestOccupiedL1Address()).isEmpty();
    }

    private List<Loan> churn(Random random) {
        var loans = new ArrayList<Loan>();
        for (int step = 0; step < STEPS; step++) {
            if (loans.isEmpty() || (loans.size() < 20 && random.nextBoolean())) {
                take(random, loans);
            } else {
                free(loans.remove(random.nextInt(loans.size())));
            }
        }
        return loans;
    }

    private void take(Random random, List<Loan> loans) {
        BufferType kind = KINDS.get(random.nextInt(KINDS.size()));
        long size = UNIT * (1 + random.nextInt(12));
        AllocationDirection direction = random.nextBoolean() ? BOTTOM_UP : TOP_DOWN;
        try {
            var loan = new Loan(kind, allocator.allocate(kind, BankRequest.sharded(size, size, 1, direction)), size);
            loan.units().forEach(unit -> require(allocatedUnits.add(unit), unit));
            loans.add(loan);
        } catch (DeviceOutOfMemoryException e) {
            assertThat(e).hasMessageStartingWith("Out of Memory: Not enough space to allocate " + size + " B " + kind);
        }
    }

    private void free(Loan loan) {
        loan.units().forEach(unit -> require(allocatedUnits.remove(unit), unit));
        allocator.deallocate(loan.kind, loan.address);
    }

    private void require(boolean isAlone, Loan unit) {
        if (!isAlone) {
            throw new AssertionError(unit + " belongs to two threads, seed " + seed);
        }
    }

    /** Memory of a thread. */
    private record Loan(BufferType kind, long address, long size) {

        List<Loan> units() {
            return LongStream.range(address / UNIT, (address + size) / UNIT)
                    .mapToObj(unit -> new Loan(kind, unit * UNIT, UNIT))
                    .toList();
        }
    }
}
