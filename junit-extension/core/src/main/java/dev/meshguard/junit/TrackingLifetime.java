package dev.meshguard.junit;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The lifetime of one mesh and its tracker.
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
     * Lasts for the class: all its tests share one mesh, including {@code @Nested} classes with the same settings.
     *
     * <p>The mesh is checked after the last test, so a leak fails the class and not the test that made it. Its origin
     * still names the line. Use {@link Accounting#EACH_TEST} to fail the test instead. Phases of concurrent tests
     * interfere with each other.
     */
    CLASS,
    /**
     * Lasts for the whole run: all tests of all classes with the same settings share one mesh.
     *
     * <p>The mesh is checked after Jupiter has run the last of them. A leak fails the engine, and with it the build.
     *
     * <p>In a build with several JVMs, or with {@code @Suite} classes that run Jupiter several times, each run has its
     * own mesh. With {@code forkCount} above 1 Surefire runs Jupiter once for each class, even in a reused JVM: the
     * mesh lasts for a class there. The mesh does not outlast the run even if a launcher session does: an error while a
     * session closes is too late to fail anything.
     */
    SUITE
}
