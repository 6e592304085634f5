package dev.meshguard.mesh.allocator;

import dev.meshguard.event.BufferType;
import dev.meshguard.mesh.allocator.RandomPrograms.Program;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * Compares random programs on {@link BankManager} with {@link NaiveBanks}, at every step.
 *
 * <p>{@link RandomPrograms} describes how to repeat a program and how to set their number.
 */
class BankManagerDifferentialTests {

    @Test
    void answersLikeTheNaiveModel() {
        RandomPrograms.run(BanksProgram::new);
    }

    /** One random program on a manager of random shape. */
    private static final class BanksProgram extends Program {

        private static final int CORES = 4;

        private final BankManager actual;
        private final NaiveBanks expected;

        BanksProgram(Random random) {
            super(random);
            BufferType kind = random.nextBoolean() ? BufferType.L1 : BufferType.DRAM;
            long dramAlignment = oneOf(32, 64);
            long pageAlignment = kind == BufferType.L1 ? oneOf(16, dramAlignment) : dramAlignment;
            long start = dramAlignment * random.nextInt(30);
            var region = new AddressRange(start, start + 8L * random.nextInt(200));
            long limit = kind == BufferType.L1 ? oneOf(start, start + 160, start + 8, 0) : 0;
            int banks = (int) oneOf(1, 2, 4);
            AllocatorConfig config = AllocatorConfig.builder()
                    .dramAlignment(dramAlignment)
                    .l1Alignment(pageAlignment)
                    .l1BankCount(CORES)
                    .l1Size(1)
                    .build();
            this.actual = new BankManager(kind, banks, region, limit, config);
            this.expected = new NaiveBanks(kind, banks, region, limit, pageAlignment, dramAlignment, CORES);
            note(banks + " banks of " + kind + " " + region + ", limit " + limit + ", alignments " + pageAlignment
                    + " and " + dramAlignment);
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
            same("statistics", actual.statistics(), expected.statistics());
            same("taken", taken(), expected.taken());
            same("lowest", actual.lowestOccupiedAddress(), expected.lowestOccupiedAddress());
        }

        private void allocate() {
            BankRequest request = randomRequest();
            sameOutcome("allocate " + request, () -> actual.allocate(request), () -> expected.allocate(request));
        }

        private void deallocate() {
            List<AddressRange> taken = expected.taken();
            long address = taken.isEmpty() || random.nextInt(10) == 0
                    ? expected.start + 8L * random.nextInt(200)
                    : taken.get(random.nextInt(taken.size())).start();
            sameOutcome("deallocate " + address, () -> actual.deallocate(address), () -> expected.deallocate(address));
        }

        /** Which of several blocks in the way the text names depends on slots, of which the model knows nothing. */
        private void shrink() {
            long room = expected.lowestOccupiedAddress().orElse(expected.end) - expected.start;
            long size = 8 * (Math.max(0, room / 8) / (1 + random.nextInt(3)) + random.nextInt(2));
            sameOutcome(
                    "shrink by " + size,
                    () -> {
                        try {
                            actual.shrinkSize(size);
                            return "done";
                        } catch (MeshRuntimeException e) {
                            return String.valueOf(e.getMessage()).replaceFirst(" at address \\d+$", "");
                        }
                    },
                    () -> {
                        expected.shrinkSize(size);
                        return "done";
                    });
        }

        private List<AddressRange> taken() {
            return actual.allocatedRanges().stream()
                    .sorted(Comparator.comparingLong(AddressRange::start))
                    .toList();
        }

        private BankRequest randomRequest() {
            long page = oneOf(8, 16, 32, 48, 64, 100, 256);
            long size = page * random.nextInt(6);
            AllocationDirection direction = AllocationDirection.values()[random.nextInt(2)];
            return random.nextInt(3) == 0
                    ? BankRequest.interleaved(size, page, direction)
                    : BankRequest.sharded(size, page, 1 + random.nextInt(CORES + 1), direction);
        }

        private static List<Long> boxed(long[] values) {
            return LongStream.of(values).boxed().toList();
        }
    }
}
