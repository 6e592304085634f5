package dev.meshguard.mesh.allocator;

import dev.meshguard.event.BufferType;
import dev.meshguard.mesh.allocator.RandomPrograms.Program;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * Compares random programs on {@link BankManager} with {@link NaiveBanks}, at every step. Allocators that avoid each other
 * never have the same memory.
 *
 * <p>{@link RandomPrograms} describes how to repeat a program and how to set their number.
 */
class BankManagerDifferentialTests {

    @Test
    void answersLikeTheNaiveModelWithOneAllocator() {
        RandomPrograms.run(random -> new BanksProgram(random, 1));
    }

    @Test
    void answersLikeTheNaiveModelWithAllocatorsThatAvoidEachOther() {
        RandomPrograms.run(random -> new BanksProgram(random, 2 + random.nextInt(3)));
    }

    /** One random program on a manager of random shape. */
    private static final class BanksProgram extends Program {

        private static final int CORES = 4;

        private final BankManager actual;
        private final NaiveBanks expected;
        private final long[] bankOffsets;

        BanksProgram(Random random, int allocators) {
            super(random);
            AllocatorDependencies dependencies = AllocatorDependencies.of(randomDependencies(allocators));
            BufferType kind = random.nextBoolean() ? BufferType.L1 : BufferType.DRAM;
            long dramAlignment = oneOf(32, 64);
            long pageAlignment = oneOf(16, dramAlignment);
            long start = dramAlignment * random.nextInt(30);
            var region = new AddressRange(start, start + 8L * random.nextInt(200));
            long limit = kind == BufferType.L1 ? oneOf(start, start + 160, start + 8, 0) : 0;
            this.bankOffsets = LongStream.range(0, oneOf(1, 2, 4))
                    .map(bank -> bank * 1_073_741_824L)
                    .toArray();
            this.actual = BankManager.builder(kind)
                    .bankOffsets(bankOffsets)
                    .region(region)
                    .interleavedLimit(limit)
                    .pageAlignment(pageAlignment)
                    .dramAlignment(dramAlignment)
                    .computeCores(CORES)
                    .dependencies(dependencies)
                    .build();
            this.expected = new NaiveBanks(
                    kind,
                    bankOffsets.length,
                    region,
                    limit,
                    pageAlignment,
                    dramAlignment,
                    CORES,
                    dependencies.dependencies());
            note(bankOffsets.length + " banks of " + kind + " " + region + ", limit " + limit + ", alignments "
                    + pageAlignment + " and " + dramAlignment + ", avoiding " + dependencies);
        }

        @Override
        void step() {
            int kind = random.nextInt(100);
            if (kind < 50) {
                allocate();
            } else if (kind < 85) {
                deallocate();
            } else if (kind < 90) {
                shrink();
            } else if (kind < 94) {
                sameOutcome("reset", actual::resetSize, expected::resetSize);
            } else if (kind < 96) {
                sameOutcome("begin marking", actual::beginHighWaterMarkTracking, expected::beginHighWaterMarkTracking);
            } else if (kind < 97) {
                sameOutcome("end marking", actual::endHighWaterMarkTracking, expected::endHighWaterMarkTracking);
            } else if (kind < 99) {
                sameOutcome("deallocate all", actual::deallocateAll, expected::deallocateAll);
            } else {
                sameOutcome("clear", actual::clear, expected::clear);
            }
        }

        @Override
        void check() {
            same("live", boxed(actual.liveAddresses()), expected.liveAddresses());
            same("marks", actual.highWaterMarks(), expected.highWaterMarks());
            same("bank size", actual.bankSize(), expected.bankSize());
            for (int id = 0; id < expected.allocatorCount(); id++) {
                same("statistics of " + id, actual.statistics(id), expected.statistics(id));
                same("taken by " + id, taken(id), expected.taken(id));
                int bank = random.nextInt(bankOffsets.length);
                same(
                        "lowest of " + id,
                        boxed(actual.lowestOccupiedAddress(bank, id).stream().toArray()),
                        boxed(expected.lowestOccupiedAddress(id).stream()
                                .map(lowest -> lowest + bankOffsets[bank])
                                .toArray()));
                avoidEachOther(id);
            }
        }

        private void allocate() {
            BankRequest request = randomRequest();
            int id = randomAllocator();
            List<AddressRange> occupied = random.nextInt(4) == 0 ? randomRanges() : List.of();
            sameOutcome(
                    "allocate " + request + " in " + id + " beside " + occupied,
                    () -> actual.allocate(request, id, occupied),
                    () -> expected.allocate(request, id, occupied));
        }

        private void deallocate() {
            int id = randomAllocator();
            List<AddressRange> taken = id < expected.allocatorCount() ? expected.taken(id) : List.of();
            long address = taken.isEmpty() || random.nextInt(10) == 0
                    ? expected.start + 8L * random.nextInt(200)
                    : taken.get(random.nextInt(taken.size())).start();
            sameOutcome(
                    "deallocate " + address + " in " + id,
                    () -> actual.deallocate(address, id),
                    () -> expected.deallocate(address, id));
        }

        /** Which of several blocks in the way the text names depends on slots, of which the model knows nothing. */
        private void shrink() {
            long room = expected.lowestOccupiedAddress(0).orElse(expected.end) - expected.start;
            long size = 8 * (Math.max(0, room / 8) / (1 + random.nextInt(3)) + random.nextInt(2));
            boolean up = random.nextInt(10) > 0;
            sameOutcome(
                    "shrink by " + size + (up ? " from the bottom" : " from the top"),
                    () -> {
                        try {
                            actual.shrinkSize(size, up);
                            return "done";
                        } catch (MeshRuntimeException e) {
                            return String.valueOf(e.getMessage()).replaceFirst(" at address \\d+$", "");
                        }
                    },
                    () -> {
                        expected.shrinkSize(size, up);
                        return "done";
                    });
        }

        private List<AddressRange> taken(int id) {
            return actual.memoryBlockTable(id).stream()
                    .filter(MemoryBlock::allocated)
                    .map(block -> new AddressRange(
                            expected.start + block.address(), expected.start + block.address() + block.size()))
                    .sorted(Comparator.comparingLong(AddressRange::start))
                    .toList();
        }

        /** Only what is used counts: the rest that rounding adds may reach into another allocator's block. */
        private void avoidEachOther(int id) {
            for (int other : expected.avoidedBy(id)) {
                for (AddressRange one : expected.used(id)) {
                    for (AddressRange another : expected.used(other)) {
                        same("overlap", one.start() < another.end() && another.start() < one.end(), false);
                    }
                }
            }
        }

        private BankRequest randomRequest() {
            long page = oneOf(8, 16, 32, 48, 64, 100, 256);
            long size = page * random.nextInt(6);
            AllocationDirection direction = AllocationDirection.values()[random.nextInt(2)];
            return random.nextInt(3) == 0
                    ? BankRequest.interleaved(size, page, direction)
                    : BankRequest.sharded(size, page, 1 + random.nextInt(CORES + 1), direction);
        }

        private List<AddressRange> randomRanges() {
            var ranges = new ArrayList<AddressRange>();
            for (int i = random.nextInt(3); i >= 0; i--) {
                long start = expected.start + 8L * random.nextInt(200);
                ranges.add(new AddressRange(start, start + 8L * random.nextInt(20)));
            }
            return ranges;
        }

        private int randomAllocator() {
            return random.nextInt(expected.allocatorCount() + (random.nextInt(20) == 0 ? 1 : 0));
        }

        private Map<Integer, List<Integer>> randomDependencies(int allocators) {
            var dependencies = new HashMap<Integer, List<Integer>>();
            for (int id = 0; id < allocators; id++) {
                dependencies.put(
                        id,
                        IntStream.range(id + 1, allocators)
                                .filter(other -> random.nextInt(3) > 0)
                                .boxed()
                                .toList());
            }
            return dependencies;
        }

        private static List<Long> boxed(long[] values) {
            return LongStream.of(values).boxed().toList();
        }
    }
}
