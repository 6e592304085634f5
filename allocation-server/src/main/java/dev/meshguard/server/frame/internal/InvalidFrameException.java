package dev.meshguard.server.frame.internal;

/**
 * Bytes after which a connection cannot be read any further.
 *
 * <p>The message continues a sentence that begins with the name of the connection.
 */
public final class InvalidFrameException extends Exception {

    private static final long serialVersionUID = 1;

    /** Creates an exception, for example with {@code sent a frame of 7 bytes}. */
    public InvalidFrameException(String message) {
        super(message);
    }
}
