package dev.meshguard.report.findings;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * What a JVM knows about the use of an entry of expected buffers.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public enum EntryUse {
    /** The entry applies to a test of the JVM, so it has to match somewhere in the run. */
    EXPECTED,
    /** The entry matched. */
    MATCHED,
    /** A test with the entry failed, was aborted or is disabled, so whether the entry would match is unknown. */
    EXCUSED
}
