package dev.meshguard.report.json;

/** Thrown when a line of a history is unreadable; never leaves this package. */
final class UnreadableLineException extends Exception {

    private static final long serialVersionUID = 1;

    UnreadableLineException(String reason) {
        super(reason);
    }

    /** Returns the reason as the end of a sentence. */
    String reason() {
        return String.valueOf(getMessage());
    }
}
