package dev.meshguard.mesh.allocator;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.function.Function;
import java.util.function.Supplier;
import org.assertj.core.api.Assertions;

/**
 * Runs programs of random steps, one after the other, up to a total number of operations.
 *
 * <p>A failure names the seed of its program and the steps up to it; {@code -Dmeshguard.seed=} with that number makes it the
 * first program of the next run. {@code -Dmeshguard.operations=} sets the number of operations: a hundred thousand by default
 * and ten million with {@code -Pnightly}.
 */
final class RandomPrograms {

    private static final long OPERATIONS = Long.getLong("meshguard.operations", 100_000);

    private RandomPrograms() {}

    /** Runs programs, each made from its own random numbers. */
    static void run(Function<Random, ? extends Program> newProgram) {
        long seed = Long.getLong("meshguard.seed", new SplittableRandom().nextLong());
        for (long done = 0; done < OPERATIONS; seed++) {
            var random = new Random(seed);
            Program program = newProgram.apply(random);
            int steps = random.nextInt(100) == 0 ? 1_000 : 100;
            run(program, steps, seed);
            done += steps;
        }
    }

    private static void run(Program program, int steps, long seed) {
        try {
            for (int i = 0; i < steps; i++) {
                program.step();
                program.check();
            }
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError(
                    "reproduce with -Dmeshguard.seed=" + seed + System.lineSeparator()
                            + String.join(System.lineSeparator(), program.notes) + System.lineSeparator() + e,
                    e);
        }
    }

    /** One program: its next step, the invariants after every step, and its steps so far. */
    abstract static class Program {

        final Random random;
        private final List<String> notes = new ArrayList<>();

        Program(Random random) {
            this.random = random;
        }

        abstract void step();

        abstract void check();

        final void note(String what) {
            notes.add(what);
        }

        final void same(String what, Object actual, Object expected) {
            if (!actual.equals(expected)) {
                Assertions.assertThat(actual).describedAs(what).isEqualTo(expected);
            }
        }

        /** Does a step in both worlds, either of which may refuse it. */
        final void sameOutcome(String what, Supplier<?> actual, Supplier<?> expected) {
            note(what);
            same(what, outcome(actual), outcome(expected));
        }

        final void sameOutcome(String what, Runnable actual, Runnable expected) {
            sameOutcome(what, done(actual), done(expected));
        }

        final long oneOf(long... values) {
            return values[random.nextInt(values.length)];
        }

        private static Supplier<String> done(Runnable step) {
            return () -> {
                step.run();
                return "done";
            };
        }

        private static String outcome(Supplier<?> step) {
            try {
                return step.get().toString();
            } catch (MeshRuntimeException | RejectedCall e) {
                return e.getMessage();
            }
        }
    }

    /** Thrown by a model to reject an operation. */
    static final class RejectedCall extends RuntimeException {

        private static final long serialVersionUID = 1L;

        RejectedCall(String message) {
            super(message);
        }
    }
}
