package dev.meshguard.cli.answer;

/** The program cannot do what it was asked; the message is one line and says what would help. */
public final class Refusal extends Exception {

    private static final long serialVersionUID = 1;

    public Refusal(String message) {
        super(message);
    }
}
