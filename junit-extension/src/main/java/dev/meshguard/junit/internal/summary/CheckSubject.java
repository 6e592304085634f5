package dev.meshguard.junit.internal.summary;

/**
 * Who was checked.
 *
 * @param kind what it is
 * @param name what it is called
 * @param reproduction the command that runs it again
 */
public record CheckSubject(Kind kind, String name, String reproduction) {

    /** What can be checked. */
    public enum Kind {
        /** A test, or a dynamic one, or the factory of some. */
        TEST,
        /** A class whose tests share a mesh. */
        CLASS,
        /** All tests that share a mesh. */
        RUN,
        /** A program that a test started. */
        PROCESS
    }
}
