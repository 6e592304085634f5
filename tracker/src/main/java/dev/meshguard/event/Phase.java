package dev.meshguard.event;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;
import org.jspecify.annotations.Nullable;

/**
 * A named phase of a test.
 *
 * @param name the name, not blank
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record Phase(String name) {

    /** The phase before the first named one. */
    public static final Phase START = new Phase("START");
    /** A mesh is being opened. */
    public static final Phase OPEN = new Phase("OPEN");
    /** Code that runs before the test method. */
    public static final Phase SETUP = new Phase("SETUP");
    /** The test method. */
    public static final Phase TEST = new Phase("TEST");
    /** Code that runs after the test method. */
    public static final Phase TEARDOWN = new Phase("TEARDOWN");
    /** A program cache is being cleared. */
    public static final Phase CACHE_CLEAR = new Phase("CACHE_CLEAR");
    /** A mesh is being closed. */
    public static final Phase CLOSE = new Phase("CLOSE");
    /** The last open mesh was closed. */
    public static final Phase AFTER_CLOSE = new Phase("AFTER_CLOSE");

    /**
     * Creates a phase.
     *
     * @throws IllegalArgumentException if the name is blank
     */
    public Phase {
        if (name.isBlank()) {
            throw new IllegalArgumentException("A phase needs a name: the name given is blank");
        }
    }

    /**
     * Compares by hand, because phases are compared in every test and a record's generated method is several times
     * slower at first.
     */
    @Override
    public boolean equals(@Nullable Object other) {
        return this == other || (other instanceof Phase phase && name.equals(phase.name));
    }

    @Override
    public int hashCode() {
        return name.hashCode();
    }

    /** Returns the name. */
    @Override
    public String toString() {
        return name;
    }
}
