package dev.meshguard.report.findings;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The use of an entry of expected buffers in one JVM.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public enum EntryUse {
    /** The entry applies to a test of the JVM, so it has to match somewhere in the run. */
    EXPECTED("entry"),
    /** The entry matched. */
    MATCHED("matched"),
    /** A test with the entry failed, was aborted or is disabled, so whether the entry would match is unknown. */
    EXCUSED("excused");

    private final String kind;

    EntryUse(String kind) {
        this.kind = kind;
    }

    /** Returns the kind of its lines. */
    String kind() {
        return kind;
    }
}
