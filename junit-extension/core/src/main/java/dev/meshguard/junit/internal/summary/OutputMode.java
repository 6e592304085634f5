package dev.meshguard.junit.internal.summary;

/** Selects when an output of a run is written: its summary, or the pages of its checks. */
public enum OutputMode {
    /** Never. */
    OFF,
    /** The summary if a check failed, or would have failed a test that was aborted; the pages of failed checks. */
    FAILURES,
    /** The summary if anything was tracked; the pages of all checks. */
    ALWAYS
}
