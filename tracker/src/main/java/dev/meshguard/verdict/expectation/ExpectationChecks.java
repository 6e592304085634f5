package dev.meshguard.verdict.expectation;

/** The conditions that make an entry invalid, in one place. */
final class ExpectationChecks {

    private ExpectationChecks() {}

    static void rejectBlank(String name, String text) {
        if (text.isBlank()) {
            throw new IllegalArgumentException("An expected buffer's " + name
                    + " is a text to look for: a blank one was given. Leave it out to allow any.");
        }
    }

    static void rejectNegative(String name, long value) {
        if (value < 0) {
            throw new IllegalArgumentException("An expected buffer's " + name + " is 0 or more: " + value
                    + " was given. Leave it out to allow any.");
        }
    }
}
