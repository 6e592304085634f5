package dev.meshguard.tracker;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Memory that was allocated once and is freed once, whatever its address.
 *
 * <p>An address does not identify memory that a library or the operating system manages: it may be allocated to another thread
 * before the free of the first is reported. A lease identifies it, so that each free is reported after it has succeeded, and a
 * free that fails leaves the memory allocated.
 *
 * <pre>{@code
 * Lease lease = tracker.lease(AllocationDetails.user(), callers, BufferType.SYSTEM_MEMORY, bytes).handedOut(segment);
 * …
 * try {
 *     arena.close();
 *     lease.freed();
 * } catch (WrongThreadException notFreed) {
 *     lease.freeFailed(notFreed);
 *     throw notFreed;
 * }
 * }</pre>
 *
 * <p>Its methods never throw because of what the code under test did. Safe for use by several threads.
 *
 * @since 0.1
 * @see AllocationTracker#lease
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public sealed interface Lease permits TrackedLease {

    /**
     * Reports the object without which the code under test cannot free the memory; it is held weakly, and none of its methods is
     * called. Without a handle, a check cannot distinguish held from lost memory.
     *
     * @return this lease
     */
    Lease handedOut(Object handle);

    /** Reports that the memory was freed. A second report is an error in the verdict, as a double free. */
    void freed();

    /** Reports that a call which should free the memory failed, so that it is still allocated. */
    void freeFailed(Throwable reason);

    /**
     * Reports that the memory has another size now. Does nothing after the memory was freed.
     *
     * @param bytes the whole size, from 0; 0 if it is unknown
     */
    void resized(long bytes);
}
