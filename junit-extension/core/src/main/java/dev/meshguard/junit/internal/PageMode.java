package dev.meshguard.junit.internal;

/** Selects the checks that write a page. */
public enum PageMode {
    /** No check. */
    OFF,
    /** Failed checks. */
    FAILURES,
    /** All checks. */
    ALWAYS
}
