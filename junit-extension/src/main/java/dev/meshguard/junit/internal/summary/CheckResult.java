package dev.meshguard.junit.internal.summary;

/** What became of one check. */
public enum CheckResult {
    /** What it asks for holds. */
    HELD,
    /** It does not hold, and all that is wrong is in the baseline. */
    KNOWN,
    /** It failed the test, or the test had said all of it by failing itself. */
    FAILED,
    /** It does not hold, and the test was aborted and stays so. */
    ABORTED,
    /** It was not made: the test threw, and its policy asks for nothing more then. */
    SKIPPED
}
