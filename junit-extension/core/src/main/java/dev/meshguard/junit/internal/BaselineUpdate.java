package dev.meshguard.junit.internal;

/** The ways to update a baseline of known leaks at the end of a run. */
public enum BaselineUpdate {
    /** Fixed leaks are removed. */
    SHRINK,
    /** New leaks are added. */
    ACCEPT,
    /** No update; a fixed leak fails the run until it is removed. */
    STRICT,
    /** No update. */
    NONE
}
