package dev.meshguard.server.line.internal;

/** A line cannot be recorded; the message continues a sentence that begins with its number. */
public final class InvalidLineException extends RuntimeException {

    private static final long serialVersionUID = 1;

    /** Creates an exception without a stack trace, because a client can cause many. */
    public InvalidLineException(String message) {
        super(message, null, false, false);
    }
}
