package dev.meshguard.report.internal;

/** Thrown when a line of JSON is unreadable; a reader reports it with the number of the line. */
public final class UnreadableLineException extends Exception {

    private static final long serialVersionUID = 1;

    /** Creates the exception; the reason is the end of a sentence. */
    public UnreadableLineException(String reason) {
        super(reason);
    }

    /** Returns the reason as the end of a sentence. */
    public String reason() {
        return String.valueOf(getMessage());
    }
}
