package dev.meshguard.junit.internal.pages;

/**
 * Whose page it is.
 *
 * @param title what a person calls it
 * @param text what its file is called, as far as file systems have such letters
 * @param identity what tells it from all others, the same each time it is run
 * @param isOfWholeRun whether it is of all tests of a JVM, of which each JVM of a build has one
 */
public record PageSubject(String title, String text, String identity, boolean isOfWholeRun) {

    /** Returns the subject of a part of this one, which has a number there. */
    public PageSubject part(String what, int number) {
        return new PageSubject(
                title + ", " + what + " " + number,
                text + "." + what + "." + number,
                identity + "/" + what + ":" + number,
                isOfWholeRun);
    }
}
