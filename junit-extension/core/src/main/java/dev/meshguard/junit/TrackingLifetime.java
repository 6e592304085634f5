package dev.meshguard.junit;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The scope that has a mesh and a tracker of its own: each test, or the whole class.
 *
 * @since 0.1
 * @see Accounting
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public enum TrackingLifetime {
    /** The attribute is left out: {@link #TEST}. */
    DEFAULT,
    /**
     * Lasts for one test: each test gets its own mesh and is checked separately.
     *
     * <p>The dynamic tests of a {@code @TestFactory} use the mesh of their factory; each is responsible for its own
     * survivors.
     */
    TEST,
    /**
     * Lasts for the class: all its tests share one mesh, including {@code @Nested} classes with the same settings. A nested
     * class with a {@link MeshGuardExtension} in a field has a mesh of its own.
     *
     * <p>The mesh is checked after the last test, so a leak fails the class and not the test that made it. Its origin
     * still names the line. Use {@link Accounting#EACH_TEST} to fail the test instead. Phases of concurrent tests
     * interfere with each other.
     */
    CLASS
}
