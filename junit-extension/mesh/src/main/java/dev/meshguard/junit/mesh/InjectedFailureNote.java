package dev.meshguard.junit.mesh;

import java.io.Serial;

/**
 * A note on an error that a test threw after one of its allocations had failed; suppressed in it, never thrown, and
 * without a stack.
 */
final class InjectedFailureNote extends RuntimeException {

    @Serial
    private static final long serialVersionUID = 1L;

    InjectedFailureNote(String note) {
        super(note, null, false, false);
    }
}
