package dev.meshguard.cli.answer;

/** The program cannot do what it was asked; the message is one line and says what would help. */
public final class Refusal extends Exception {

    private static final long serialVersionUID = 1;

    private final ExitStatus status;

    /** Creates the refusal of a call that makes no sense, or of a file that cannot be read. */
    public Refusal(String message) {
        this(message, ExitStatus.USAGE);
    }

    private Refusal(String message, ExitStatus status) {
        super(message);
        this.status = status;
    }

    /** Returns what is said where output could not be written. */
    public static Refusal unwritten(String message) {
        return new Refusal(message, ExitStatus.UNWRITTEN);
    }

    /** Returns how the program ends. */
    public ExitStatus status() {
        return status;
    }
}
