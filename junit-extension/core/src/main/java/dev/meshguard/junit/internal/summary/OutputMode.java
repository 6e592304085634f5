package dev.meshguard.junit.internal.summary;

/** Selects when a run writes its summary or pages: never, for failures, or always. */
public enum OutputMode {
    /** Never. */
    OFF,
    /** The summary if a check failed, or would have failed a test that was aborted; the pages of failed checks. */
    FAILURES,
    /** The summary if anything was tracked; the pages of all checks. */
    ALWAYS
}
