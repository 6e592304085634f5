package dev.meshguard.mesh.allocator;

import dev.meshguard.mesh.allocator.RandomPrograms.Program;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Compares random programs on {@link FreeListOpt} with {@link NaiveFreeList}, at every step.
 *
 * <p>{@link RandomPrograms} describes how to repeat a program and how to set their number.
 */
class FreeListOptDifferentialTests {

    @Test
    void answersLikeTheNaiveModelAtEveryStepOfRandomPrograms() {
        RandomPrograms.run(FreeListProgram::new);
    }

    /** One random program on a list of random shape, filled from below, from above or from both ends. */
    private static final class FreeListProgram extends Program {

        private enum Ends {
            BOTTOM,
            TOP,
            BOTH
        }

        private final InspectedFreeList actual;
        private final NaiveFreeList expected;
        private final Ends ends;
        private final long alignment;
        private final long offset;
        private final long max;

        FreeListProgram(Random random) {
            super(random);
            this.ends = Ends.values()[random.nextInt(3)];
            this.alignment = oneOf(1, 16, 32, 64);
            this.offset = alignment * random.nextInt(200);
            this.max = oneOf(0, 1_000, 4_096, 65_536, 65_536, 1_000_000, 400_000_000L);
            long min = oneOf(1, alignment, 48);
            this.actual = new InspectedFreeList(max, offset, min, alignment);
            this.expected = new NaiveFreeList(max, offset, min, alignment);
            note("list of " + max + " at " + offset + ", minimum " + min + ", alignment " + alignment + " from "
                    + ends);
        }

        @Override
        void step() {
            int kind = random.nextInt(100);
            if (kind < 55) {
                allocate(kind < 2 ? offset + random.nextInt((int) max / 2 + 1) : 0);
            } else if (kind < 90) {
                deallocate();
            } else if (kind < 95) {
                shrink();
            } else if (kind < 98) {
                sameOutcome("reset", actual::resetSize, expected::resetSize);
            } else if (kind == 98) {
                sameOutcome("clear", actual::clear, expected::clear);
            }
        }

        @Override
        void check() {
            same("statistics", actual.statistics(), expected.statistics());
            same("lowest occupied", actual.lowestOccupiedAddress(), expected.lowestOccupiedAddress());
            same("allocated", actual.allocatedAddresses(), expected.allocatedAddresses());
            same("block table", actual.memoryBlockTable(), expected.memoryBlockTable());
        }

        private void allocate(long limit) {
            long size = randomSize();
            boolean up = ends == Ends.BOTTOM || (ends == Ends.BOTH && random.nextBoolean());
            sameOutcome(
                    "allocate " + size + (up ? " up" : " down") + " limit " + limit,
                    () -> actual.allocate(size, up, limit),
                    () -> expected.allocate(size, up, limit));
        }

        private void deallocate() {
            List<AddressRange> live = expected.allocatedAddresses();
            long address = live.isEmpty() || random.nextInt(10) == 0
                    ? randomAddress()
                    : live.get(random.nextInt(live.size())).start();
            same("size at " + address, actual.getAllocationSize(address), expected.getAllocationSize(address));
            sameOutcome("deallocate " + address, () -> actual.deallocate(address), () -> expected.deallocate(address));
        }

        private void shrink() {
            long room = expected.lowestOccupiedAddress().orElse(max + offset) - offset;
            long size = random.nextInt(3) == 0 ? randomSize() : room / (1 + random.nextInt(3));
            sameOutcome("shrink by " + size, () -> actual.shrinkSize(size), () -> expected.shrinkSize(size));
        }

        private long randomSize() {
            return switch (random.nextInt(5)) {
                case 0 -> random.nextInt(64);
                case 1 -> random.nextInt(3_000);
                case 2 -> 1_024L << random.nextInt(6);
                case 3 -> random.nextInt((int) max / 8 + 1);
                default -> random.nextInt((int) max + 100);
            };
        }

        private long randomAddress() {
            long address = offset - 100 + random.nextInt((int) max + 200);
            return random.nextBoolean() ? address : address / alignment * alignment;
        }
    }
}
