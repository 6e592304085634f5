package dev.meshguard.junit;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Selects which test is responsible for memory that it leaves allocated on a mesh that outlives it.
 *
 * <p>Matters for the lifetime {@link TrackingLifetime#CLASS}. A test with a mesh of its own is always responsible for all of
 * it.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public enum Accounting {
    /** The attribute is left out: {@link #AT_THE_END}. */
    DEFAULT,
    /** No test is responsible before all tests have ended: one test may free what another allocated. */
    AT_THE_END,
    /**
     * Each test is responsible: buffers that it allocated and that are still allocated at its end fail this test only.
     *
     * <p>Allocations of {@code @BeforeAll} methods belong to the class and are checked at its end. The same
     * holds for memory that the runtime keeps for all tests: its own buffers and cached programs. A test may free what
     * others allocated.
     *
     * <p>Among concurrent tests, each is responsible for the allocations of its own thread. Allocations of helper
     * threads belong to the running test if exactly one runs, otherwise to the class.
     */
    EACH_TEST
}
