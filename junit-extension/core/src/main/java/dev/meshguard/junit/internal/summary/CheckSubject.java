package dev.meshguard.junit.internal.summary;

/**
 * The subject of a check.
 *
 * @param kind its kind
 * @param name its name
 * @param reproduction the command that runs it again
 */
public record CheckSubject(Kind kind, String name, String reproduction) {

    /** The kinds of subjects. */
    public enum Kind {
        /** A test, a dynamic test, or a test factory. */
        TEST,
        /** A class whose tests share a mesh. */
        CLASS,
        /** All tests that share a mesh. */
        RUN,
        /** A program that a test started. */
        PROCESS
    }
}
