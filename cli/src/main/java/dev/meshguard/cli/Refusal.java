package dev.meshguard.cli;

/** The program cannot do what it was asked; the message is one line and says what would help. */
final class Refusal extends Exception {

    private static final long serialVersionUID = 1;

    Refusal(String message) {
        super(message);
    }
}
