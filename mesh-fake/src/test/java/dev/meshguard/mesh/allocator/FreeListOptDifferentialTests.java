package dev.meshguard.mesh.allocator;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Random programs, run on {@link FreeListOpt} and on {@link NaiveFreeList}, give the same answers at every step.
 *
 * <p>A failure names the seed of its program; {@code -Dmeshguard.seed=} with that number makes it the first program of
 * the next run.
 */
class FreeListOptDifferentialTests {

    private static final int PROGRAMS = 2_000;
    private static final int STEPS = 120;

    @ParameterizedTest
    @EnumSource
    void answersLikeTheNaiveModelAtEveryStepOfRandomPrograms(SearchPolicy policy) {
        long firstSeed = Long.getLong("meshguard.seed", new SplittableRandom().nextLong());

        for (long program = 0; program < PROGRAMS; program++) {
            new Program(firstSeed + program, policy).run();
        }
    }

    /** One random program on a list of random shape, and what it has done so far. */
    private static final class Program {

        private final long seed;
        private final Random random;
        private final SearchPolicy policy;
        private final FreeListOpt actual;
        private final NaiveFreeList expected;
        private final long alignment;
        private final long offset;
        private final long max;
        private final List<String> steps = new ArrayList<>();

        Program(long seed, SearchPolicy policy) {
            this.seed = seed;
            this.random = new Random(seed);
            this.policy = policy;
            this.alignment = oneOf(1, 16, 32, 64);
            this.offset = alignment * random.nextInt(200);
            this.max = oneOf(0, 1_000, 4_096, 65_536, 65_536, 1_000_000, 400_000_000L);
            long min = oneOf(1, alignment, 48);
            this.actual = new FreeListOpt(max, offset, min, alignment, policy);
            this.expected = new NaiveFreeList(max, offset, min, alignment, policy);
            steps.add("list of %d at %d, minimum %d, alignment %d".formatted(max, offset, min, alignment));
        }

        void run() {
            for (int i = 0; i < STEPS; i++) {
                step();
                compareViews();
            }
        }

        private void step() {
            int kind = random.nextInt(100);
            if (kind < 45) {
                allocate(kind < 3 ? offset + random.nextInt((int) max / 2 + 1) : 0);
            } else if (kind < 55) {
                allocateAtAddress();
            } else if (kind < 90) {
                deallocate();
            } else if (kind < 95) {
                shrink();
            } else if (kind < 98) {
                compare("reset", outcome(actual::resetSize), outcome(expected::resetSize));
            } else if (kind == 98) {
                compare("clear", outcome(actual::clear), outcome(expected::clear));
            }
        }

        private void allocate(long limit) {
            long size = randomSize();
            boolean up = random.nextBoolean();
            compare(
                    "allocate %d %s limit %d".formatted(size, up ? "up" : "down", limit),
                    outcome(() -> actual.allocate(size, up, limit)),
                    outcome(() -> expected.allocate(size, up, limit)));
        }

        private void allocateAtAddress() {
            long size = randomSize();
            long address = randomAddress();
            compare(
                    "allocate %d at %d".formatted(size, address),
                    outcome(() -> actual.allocateAtAddress(address, size)),
                    outcome(() -> expected.allocateAtAddress(address, size)));
        }

        private void deallocate() {
            List<AddressRange> live = expected.allocatedAddresses();
            long address = live.isEmpty() || random.nextInt(10) == 0
                    ? randomAddress()
                    : live.get(random.nextInt(live.size())).start();
            compare(
                    "size at %d".formatted(address),
                    outcome(() -> actual.getAllocationSize(address)),
                    outcome(() -> expected.getAllocationSize(address)));
            compare(
                    "deallocate %d".formatted(address),
                    outcome(() -> actual.deallocate(address)),
                    outcome(() -> expected.deallocate(address)));
        }

        private void shrink() {
            long room = expected.lowestOccupiedAddress().orElse(max + offset) - offset;
            long size = random.nextInt(3) == 0 ? randomSize() : room / (1 + random.nextInt(3));
            boolean up = random.nextInt(20) > 0;
            compare(
                    "shrink by %d from the %s".formatted(size, up ? "bottom" : "top"),
                    outcome(() -> actual.shrinkSize(size, up)),
                    outcome(() -> expected.shrinkSize(size, up)));
        }

        private void compareViews() {
            long size = randomSize();
            compare("statistics", actual.statistics(), expected.statistics());
            compare("lowest occupied", actual.lowestOccupiedAddress(), expected.lowestOccupiedAddress());
            compare("allocated", actual.allocatedAddresses(), expected.allocatedAddresses());
            compare("available for " + size, actual.availableAddresses(size), expected.availableAddresses(size));
            compare("block table", actual.memoryBlockTable(), expected.memoryBlockTable());
        }

        private void compare(String step, Object actualAnswer, Object expectedAnswer) {
            steps.add(step);
            if (!actualAnswer.equals(expectedAnswer)) {
                assertThat(actualAnswer).describedAs(reproduction()).isEqualTo(expectedAnswer);
            }
        }

        private String reproduction() {
            return "policy %s, reproduce with -Dmeshguard.seed=%d%n%s"
                    .formatted(policy, seed, String.join(System.lineSeparator(), steps));
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

        private long oneOf(long... values) {
            return values[random.nextInt(values.length)];
        }

        private static String outcome(Runnable step) {
            return outcome(() -> {
                step.run();
                return "done";
            });
        }

        private static String outcome(Supplier<?> step) {
            try {
                return step.get().toString();
            } catch (MeshRuntimeException | IllegalStateException e) {
                return String.valueOf(e.getMessage());
            }
        }
    }
}
