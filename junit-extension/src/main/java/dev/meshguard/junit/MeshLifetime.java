package dev.meshguard.junit;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * How long one mesh and one tracker last.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public enum MeshLifetime {
    /** As long as one test: each gets its own and is checked by itself. The default. */
    TEST,
    /**
     * As long as the class: all its tests share one, {@code @Nested} classes with the same settings too.
     *
     * <p>It is checked when all are over, so a leak fails the class and not the test that made it; its origin still names
     * the line. Phases of tests that run at the same time run into each other.
     */
    CLASS
}
