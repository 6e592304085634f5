package dev.meshguard.mesh.allocator;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.event.BufferType.L1;
import static dev.meshguard.event.BufferType.L1_SMALL;
import static dev.meshguard.event.BufferType.SYSTEM_MEMORY;
import static dev.meshguard.event.BufferType.TRACE;

import dev.meshguard.event.BufferType;
import dev.meshguard.mesh.allocator.RandomPrograms.Program;
import dev.meshguard.mesh.allocator.RandomPrograms.RejectedCall;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * Compares random programs on {@link Allocator} with one {@link NaiveBanks} for each kind of memory, at every step. No kind
 * ever has memory of another.
 *
 * <p>{@link RandomPrograms} describes how to repeat a program and how to set their number.
 */
class AllocatorDifferentialTests {

    @Test
    void answersLikeTheNaiveModelInEveryKindOfMemory() {
        RandomPrograms.run(AllocatorProgram::new);
    }

    /** One random program on an allocator of random shape. */
    private static final class AllocatorProgram extends Program {

        private static final List<BufferType> ALLOCATED_TYPES = List.of(DRAM, TRACE, L1, L1_SMALL);
        private static final int CORES = 4;
        private static final int DRAM_BANKS = 2;

        private final Allocator actual;
        private final boolean interleaved;
        private final Map<BufferType, NaiveBanks> expected = new EnumMap<>(BufferType.class);

        AllocatorProgram(Random random) {
            super(random);
            this.interleaved = random.nextInt(4) > 0;
            long dramAlignment = oneOf(32, 64);
            long base = dramAlignment * (1 + random.nextInt(10));
            long traceSize = dramAlignment * random.nextInt(10);
            long smallSize = dramAlignment * random.nextInt(10);
            long dramEnd = base + traceSize + dramAlignment * random.nextInt(20);
            long l1End = base + smallSize + dramAlignment * (1 + random.nextInt(20));
            var config = new AllocatorConfig(
                    new AllocatorConfig.Dram(DRAM_BANKS, dramEnd, base, dramAlignment, traceSize),
                    new AllocatorConfig.L1(CORES, l1End, base, 16, smallSize),
                    interleaved);
            this.actual = Allocator.create(config, UnsafeAllocationWarner.to(text -> {}));
            model(DRAM, DRAM_BANKS, base, dramEnd - traceSize, dramAlignment, dramAlignment);
            model(TRACE, DRAM_BANKS, dramEnd - traceSize, dramEnd, dramAlignment, dramAlignment);
            model(L1, CORES, base, l1End - smallSize, 16, dramAlignment);
            model(L1_SMALL, CORES, l1End - smallSize, l1End, 16, dramAlignment);
            note("DRAM from " + base + " to " + dramEnd + " with " + traceSize + " for traces, L1 to " + l1End
                    + " with " + smallSize + " for small ones, alignment " + dramAlignment
                    + (interleaved ? "" : ", sharded only"));
        }

        private void model(BufferType kind, int banks, long start, long end, long page, long dram) {
            expected.put(kind, new NaiveBanks(kind, banks, new AddressRange(start, end), page, dram, CORES));
        }

        @Override
        void step() {
            BufferType kind = random.nextInt(50) == 0
                    ? SYSTEM_MEMORY
                    : ALLOCATED_TYPES.get(random.nextInt(ALLOCATED_TYPES.size()));
            int step = random.nextInt(100);
            if (step < 50) {
                allocate(kind);
            } else if (step < 85) {
                deallocate(kind);
            } else if (step < 90) {
                long size = 8L * random.nextInt(20);
                same("shrink " + kind + " by " + size, a -> a.shrinkSize(kind, size), kind, b -> b.shrinkSize(size));
            } else if (step < 93) {
                same("reset " + kind, a -> a.resetSize(kind), kind, NaiveBanks::resetSize);
            } else if (step < 95) {
                same(
                        "mark " + kind,
                        a -> a.beginHighWaterMarkTracking(kind),
                        kind,
                        NaiveBanks::beginHighWaterMarkTracking);
            } else if (step < 96) {
                sameOutcome(
                        "end marking " + kind,
                        () -> actual.endHighWaterMarkTracking(kind),
                        () -> banks(kind).endHighWaterMarkTracking());
            } else if (step < 98) {
                actual.deallocateBuffers();
                expected.values().forEach(NaiveBanks::deallocateAll);
                note("deallocate buffers");
            } else if (step == 98) {
                actual.clear();
                expected.values().forEach(NaiveBanks::clear);
                note("clear");
            }
        }

        @Override
        void check() {
            expected.forEach((kind, banks) -> {
                same("live " + kind, boxed(actual.liveAddresses(kind)), banks.liveAddresses());
                same("statistics of " + kind, actual.statistics(kind), banks.statistics());
                same(
                        "size of " + kind,
                        actual.bankSize(kind),
                        banks.statistics().totalAllocatable());
                same("marks of " + kind, actual.highWaterMarks(kind), banks.highWaterMarks());
                same("taken of " + kind, taken(kind), banks.taken());
            });
            same("lowest", actual.lowestOccupiedL1Address(), banks(L1).lowestOccupiedAddress());
            keepDisjoint(DRAM, TRACE);
            keepDisjoint(L1, L1_SMALL);
        }

        private void allocate(BufferType kind) {
            long page = oneOf(8, 16, 32, 48, 64, 100, 256);
            long size = page * random.nextInt(6);
            AllocationDirection direction = AllocationDirection.values()[random.nextInt(2)];
            BankRequest request = random.nextBoolean()
                    ? BankRequest.interleaved(size, page, direction)
                    : BankRequest.sharded(size, page, 1 + random.nextInt(CORES + 1), direction);
            sameOutcome("allocate " + kind + " " + request, () -> actual.allocate(kind, request), () -> {
                if (!interleaved && !request.isSharded()) {
                    throw new RejectedCall("Interleaved allocation is disabled, see validate_num_banks");
                }
                if (kind == L1_SMALL && !request.isSharded()) {
                    throw new RejectedCall("L1_SMALL only supports sharded allocations, see validate_num_banks");
                }
                return banks(kind).allocate(request);
            });
        }

        private void deallocate(BufferType kind) {
            List<Long> live = kind == SYSTEM_MEMORY ? List.of() : banks(kind).liveAddresses();
            long address = live.isEmpty() || random.nextInt(10) == 0
                    ? 8L * random.nextInt(300)
                    : live.get(random.nextInt(live.size()));
            same(
                    "deallocate " + kind + " " + address,
                    a -> a.deallocate(kind, address),
                    kind,
                    b -> b.deallocate(address));
        }

        private void same(String what, Consumer<Allocator> step, BufferType kind, Consumer<NaiveBanks> modelStep) {
            sameOutcome(what, () -> step.accept(actual), () -> modelStep.accept(banks(kind)));
        }

        private NaiveBanks banks(BufferType kind) {
            NaiveBanks banks = expected.get(kind);
            if (banks == null) {
                throw new RejectedCall("Unsupported buffer type!");
            }
            return banks;
        }

        private List<AddressRange> taken(BufferType kind) {
            return actual.blocks(kind, address -> Optional.empty()).stream()
                    .map(block -> new AddressRange(block.start(), block.end()))
                    .sorted(Comparator.comparingLong(AddressRange::start))
                    .toList();
        }

        private void keepDisjoint(BufferType lower, BufferType upper) {
            var ranges = new ArrayList<>(taken(lower));
            ranges.addAll(taken(upper));
            for (int i = 1; i < ranges.size(); i++) {
                same("overlap", ranges.get(i).start() < ranges.get(i - 1).end(), false);
            }
        }

        private static List<Long> boxed(long[] values) {
            return LongStream.of(values).boxed().toList();
        }
    }
}
