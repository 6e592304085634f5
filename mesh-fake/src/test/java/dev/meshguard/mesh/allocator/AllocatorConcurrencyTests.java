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
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
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
    private final Allocator allocator = Allocator.create(
            AllocatorConfig.builder()
                    .dramBankCount(1)
                    .dramBankSize(65_536)
                    .dramUnreservedBase(1_024)
                    .dramAlignment(UNIT)
                    .l1BankCount(1)
                    .l1Size(32_768)
                    .l1UnreservedBase(2_048)
                    .l1Alignment(16)
                    .l1SmallSize(8_192)
                    .traceRegionSize(8_192)
                    .build(),
            UnsafeAllocationWarning.to(text -> {}));
    private final Map<BufferType, AtomicIntegerArray> owners = new EnumMap<>(BufferType.class);

    AllocatorConcurrencyTests() {
        KINDS.forEach(kind -> owners.put(kind, new AtomicIntegerArray((int) (65_536 / UNIT))));
    }

    @Test
    void memoryBelongsToOneThreadAtATimeAndTheStatisticsAreExactAfterwards() throws Exception {
        List<List<Loan>> kept = onAllThreads(this::churn);

        List<Loan> all = kept.stream().flatMap(List::stream).toList();
        for (BufferType kind : KINDS) {
            List<Loan> ofKind = all.stream()
                    .filter(loan -> loan.kind == kind)
                    .sorted(Comparator.comparingLong(Loan::address))
                    .toList();
            long taken = ofKind.stream().mapToLong(Loan::size).sum();
            assertThat(allocator.liveAddresses(kind))
                    .describedAs("%s, seed %d", kind, seed)
                    .containsExactly(ofKind.stream().mapToLong(Loan::address).toArray());
            assertThat(allocator.statistics(kind).totalAllocated()).isEqualTo(taken);
            assertThat(allocator.statistics(kind).totalFree()).isEqualTo(allocator.bankSize(kind) - taken);
        }
    }

    @Test
    void everyKindIsOneFreeBlockOnceAllThreadsHaveGivenEverythingBack() throws Exception {
        onAllThreads(thread -> {
            churn(thread).forEach(loan -> free(loan, thread));
            return List.of();
        });

        assertThat(KINDS).describedAs("seed %d", seed).allSatisfy(kind -> {
            assertThat(allocator.liveAddresses(kind)).isEmpty();
            assertThat(allocator.statistics(kind).largestFree()).isEqualTo(allocator.bankSize(kind));
        });
        assertThat(allocator.lowestOccupiedL1Address()).isEmpty();
    }

    private List<Loan> churn(int thread) {
        var random = new Random(seed + thread);
        var loans = new ArrayList<Loan>();
        for (int step = 0; step < STEPS; step++) {
            if (loans.isEmpty() || (loans.size() < 20 && random.nextBoolean())) {
                take(random, thread, loans);
            } else {
                free(loans.remove(random.nextInt(loans.size())), thread);
            }
        }
        return loans;
    }

    private void take(Random random, int thread, List<Loan> loans) {
        BufferType kind = KINDS.get(random.nextInt(KINDS.size()));
        long size = UNIT * (1 + random.nextInt(12));
        AllocationDirection direction = random.nextBoolean() ? BOTTOM_UP : TOP_DOWN;
        try {
            long address = allocator.allocate(kind, BankRequest.sharded(size, size, 1, direction));
            var loan = new Loan(kind, address, size);
            loan.units().forEach(unit -> pass(loan, unit, 0, thread + 1));
            loans.add(loan);
        } catch (DeviceOutOfMemoryException e) {
            assertThat(e).hasMessageStartingWith("Out of Memory: Not enough space to allocate " + size + " B " + kind);
        }
    }

    private void free(Loan loan, int thread) {
        loan.units().forEach(unit -> pass(loan, unit, thread + 1, 0));
        allocator.deallocate(loan.kind, loan.address);
    }

    private void pass(Loan loan, long unit, int from, int to) {
        if (!owners.get(loan.kind).compareAndSet((int) unit, from, to)) {
            throw new AssertionError(loan + " is also somebody else's, seed " + seed);
        }
    }

    private static List<List<Loan>> onAllThreads(Work work) throws InterruptedException, ExecutionException {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            List<Callable<List<Loan>>> calls = IntStream.range(0, THREADS)
                    .mapToObj(thread -> (Callable<List<Loan>>) () -> work.of(thread))
                    .toList();
            var results = new ArrayList<List<Loan>>();
            for (var result : threads.invokeAll(calls)) {
                results.add(result.get());
            }
            return results;
        } finally {
            threads.shutdown();
        }
    }

    private interface Work {
        List<Loan> of(int thread);
    }

    /** Memory of a thread. */
    private record Loan(BufferType kind, long address, long size) {

        LongStream units() {
            return LongStream.range(address / UNIT, (address + size) / UNIT);
        }
    }
}
