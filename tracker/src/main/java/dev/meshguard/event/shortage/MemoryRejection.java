package dev.meshguard.event.shortage;

import java.util.Optional;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The error of a source that rejected a request because its memory has no room.
 *
 * <p>Exceptions implement it. If a tracked test fails with one, its report begins with the shortage, and lists what the test has not
 * freed as remaining after the failure: the test may not have reached the code that frees it.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public interface MemoryRejection {

    /** Returns the state of the memory at the moment of the error; empty if it is unknown, or if a test injected the error. */
    Optional<MemoryShortage> shortage();
}
