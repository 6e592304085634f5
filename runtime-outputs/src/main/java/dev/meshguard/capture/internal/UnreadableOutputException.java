package dev.meshguard.capture.internal;

import java.io.IOException;

/** Thrown when a file is not of its format, or of none that is known. */
public final class UnreadableOutputException extends IOException {

    private static final long serialVersionUID = 1;

    /** Creates the exception with a text that says what the file is instead, and what to do. */
    public UnreadableOutputException(String message) {
        super(message);
    }
}
