package dev.meshguard.junit.internal;

/** The length of the text of a failure. */
public enum TextLength {
    /** The findings, and what to do about them. */
    SHORT,
    /** The findings, and the tables of memory, teardown and phases. */
    FULL
}
