package dev.meshguard.junit.internal.summary;

/** The outcome of one check. */
public enum CheckOutcome {
    /** Its condition holds. */
    PASSED,
    /** Its condition does not hold, and all findings are in the baseline. */
    KNOWN,
    /** It failed the test, or the test had reported all findings by failing itself. */
    FAILED,
    /** Its condition does not hold, and the test was aborted and remains so. */
    ABORTED
}
