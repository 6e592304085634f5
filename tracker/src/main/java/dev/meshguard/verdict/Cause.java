package dev.meshguard.verdict;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The reason why a buffer survived, in the order in which a check looks for causes.
 *
 * <p>Causes that prove that no memory is missing come first, then those about its owner, then those about its handles.
 * A check only names a cause with evidence.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public enum Cause {
    /** The process that allocated the buffer exited before it was freed. */
    PROCESS_DIED,
    /**
     * The buffer was freed, but after the close of its allocator had begun, or after the check if there is no close.
     */
    LATE,
    /** One physical allocation was reported twice at one live address, and its one free matched only one report. */
    REPORTED_TWICE,
    /** The memory was freed, but the report of it is missing. */
    FREE_UNREPORTED,
    /** The program of a circular buffer ended without a report that the buffer is gone. */
    CIRCULAR_BUFFER_UNREPORTED,
    /** Its owner, a program or a trace, was still cached for another execution when the mesh closed. */
    CACHED,
    /** The runtime allocated the buffer for itself and did not free it. */
    SYSTEM,
    /** Its siblings on other devices were freed, but this buffer was not. */
    FREED_ON_OTHER_DEVICES,
    /** Its owner, a trace, was released, but the buffer stayed allocated. */
    KEPT_AFTER_RELEASE,
    /** A handle to the buffer is still reachable. */
    HELD,
    /** No handle to the buffer is reachable any more, and no code freed it in time. */
    LOST,
    /** The history proves no other cause. */
    UNEXPLAINED
}
