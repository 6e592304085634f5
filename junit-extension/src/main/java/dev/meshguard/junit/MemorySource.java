package dev.meshguard.junit;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The memory that a test examines.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public enum MemorySource {
    /** Memory of a mesh without hardware, which the test opens in its own process. */
    FAKE,
    /**
     * Memory of other processes, which report to a server of the test. Inject a
     * {@link dev.meshguard.server.process.TrackedProcesses} to start programs and check each separately. Inject an
     * {@link dev.meshguard.server.AllocationServer} to receive reports of any program.
     */
    PROCESSES
}
