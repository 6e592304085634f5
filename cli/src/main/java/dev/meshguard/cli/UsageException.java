package dev.meshguard.cli;

/** Thrown when the program cannot do what was requested; the message is one line and names the way out. */
final class UsageException extends Exception {

    private static final long serialVersionUID = 1;

    private final ExitStatus status;

    /** Creates the error for invalid arguments, or for a file that cannot be read. */
    UsageException(String message) {
        this(message, ExitStatus.USAGE);
    }

    private UsageException(String message, ExitStatus status) {
        super(message.replaceAll("\\s*\\R\\s*", " "));
        this.status = status;
    }

    /** Returns the error for output that could not be written. */
    static UsageException unwritten(String message) {
        return new UsageException(message, ExitStatus.UNWRITTEN);
    }

    @Override
    public String getMessage() {
        return String.valueOf(super.getMessage());
    }

    /** Returns the exit status of the program. */
    ExitStatus status() {
        return status;
    }
}
