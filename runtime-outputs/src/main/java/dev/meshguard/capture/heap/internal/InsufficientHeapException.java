package dev.meshguard.capture.heap.internal;

import java.io.IOException;

/** Thrown before a file is read that needs more heap than this JVM has; the message is a whole sentence with the way out. */
public final class InsufficientHeapException extends IOException {

    private static final long serialVersionUID = 1;

    InsufficientHeapException(String message) {
        super(message);
    }
}
