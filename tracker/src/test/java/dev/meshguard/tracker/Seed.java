package dev.meshguard.tracker;

import java.util.Random;

/** The seed of a randomized test; {@code -Dmeshguard.seed=…} repeats an execution. */
public final class Seed {

    private final long value;

    private Seed(long value) {
        this.value = value;
    }

    /** Returns the seed of the system property, or a new one. */
    public static Seed next() {
        Long given = Long.getLong("meshguard.seed");
        return new Seed(given != null ? given : new Random().nextLong());
    }

    /** Returns a source of numbers that starts at the seed. */
    public Random random() {
        return new Random(value);
    }

    /** Returns how to repeat the execution. */
    @Override
    public String toString() {
        return "repeat with -Dmeshguard.seed=" + value;
    }
}
