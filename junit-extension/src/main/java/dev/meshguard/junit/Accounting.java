package dev.meshguard.junit;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Whose leak it is that a test leaves something on a mesh that outlives it.
 *
 * <p>Matters for the lifetimes {@link TrackingLifetime#CLASS} and {@link TrackingLifetime#SUITE}. A test with a mesh of its own answers for all
 * of it anyway.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public enum Accounting {
    /** Nobody's before all tests are over: what one test takes another may free. The default. */
    AT_THE_END,
    /**
     * The test's: what it asked for and is still there at its end fails it, and nobody else.
     *
     * <p>What {@code @BeforeAll} methods ask for belongs to the class or suite and is checked at its end, and so does what the runtime
     * keeps for all: its own buffers, and programs in its cache. A test may free what others took.
     *
     * <p>Of tests that run at the same time each answers for what its own thread asks for. What helper threads ask for belongs to the
     * test that runs, where only one does, else to the class or suite.
     */
    EACH_TEST
}
