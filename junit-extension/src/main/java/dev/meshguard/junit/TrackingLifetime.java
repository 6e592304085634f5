package dev.meshguard.junit;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * How long one mesh and one tracker last.
 *
 * @since 0.1
 * @see Accounting
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public enum TrackingLifetime {
    /**
     * As long as one test: each gets its own and is checked by itself. The default.
     *
     * <p>The dynamic tests of a {@code @TestFactory} use the mesh of their factory; each answers for what it leaves there.
     */
    TEST,
    /**
     * As long as the class: all its tests share one, {@code @Nested} classes with the same settings too.
     *
     * <p>It is checked when all are over, so a leak fails the class and not the test that made it, unless that is asked for with
     * {@link Accounting#EACH_TEST}; its origin still names the line. Phases of tests that run at the same time run into each other.
     */
    CLASS,
    /**
     * As long as the whole run: all tests of all classes that ask for the same settings share one.
     *
     * <p>It is checked when Jupiter has run the last of them, and a leak fails the engine, and with it the build. In a build with
     * several JVMs, and where {@code @Suite} classes run Jupiter several times, each such run has its own. With {@code forkCount} above 1
     * Surefire runs Jupiter once for each class, also in a JVM that it reuses: the mesh lasts for a class there. It does not outlast the
     * run although a launcher session may: what happens when a session is closed comes too late to fail anything.
     */
    SUITE
}
