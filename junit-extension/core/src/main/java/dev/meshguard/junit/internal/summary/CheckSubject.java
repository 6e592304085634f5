package dev.meshguard.junit.internal.summary;

/** The kinds of subjects of checks. */
public enum CheckSubject {
    /** A test, a dynamic test, or a test factory. */
    TEST,
    /** A class whose tests share a mesh. */
    CLASS,
    /** All tests that share a mesh. */
    RUN,
    /** A program that a test started. */
    PROCESS
}
