package dev.meshguard.junit.mesh;

import java.io.Serial;

/**
 * Names the allocation that was made to fail, for the reader of the error that a test threw afterwards: suppressed in
 * that error, never thrown, and without a stack.
 */
final class InjectedFailureNote extends RuntimeException {

    @Serial
    private static final long serialVersionUID = 1L;

    InjectedFailureNote(String note) {
        super(note, null, false, false);
    }
}
