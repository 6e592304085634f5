package dev.meshguard.junit.internal.pages;

/** Which checks leave a page. */
public enum PageMode {
    /** None. */
    OFF,
    /** Those that fail. */
    FAILURES,
    /** All of them. */
    ALWAYS
}
