package dev.meshguard.junit;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Whose memory a test is about.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public enum MemorySource {
    /** That of a mesh without hardware, which the test opens in its own process. */
    FAKE,
    /**
     * That of other processes, which report to a server of the test's. The test asks for a
     * {@link dev.meshguard.server.process.TrackedProcesses}, which starts programs and judges each by itself, or for an
     * {@link dev.meshguard.server.AllocationServer}, which any program may report to.
     */
    PROCESSES
}
