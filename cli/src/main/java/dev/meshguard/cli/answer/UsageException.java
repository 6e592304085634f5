package dev.meshguard.cli.answer;

/** The program cannot do what it was asked; the message is one line and says what would help. */
public final class UsageException extends Exception {

    private static final long serialVersionUID = 1;

    private final ExitStatus status;

    /** Creates the refusal of a call that makes no sense, or of a file that cannot be read. */
    public UsageException(String message) {
        this(message, ExitStatus.USAGE);
    }

    private UsageException(String message, ExitStatus status) {
        super(message);
        this.status = status;
    }

    /** Returns what is said where output could not be written. */
    public static UsageException unwritten(String message) {
        return new UsageException(message, ExitStatus.UNWRITTEN);
    }

    /** Returns how the program ends. */
    public ExitStatus status() {
        return status;
    }
}
