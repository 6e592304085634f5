package dev.meshguard.capture.internal;

import java.io.IOException;

/** Thrown when a file is no graph capture. */
public final class UnreadableCaptureException extends IOException {

    private static final long serialVersionUID = 1;

    UnreadableCaptureException(String message) {
        super(message);
    }
}
