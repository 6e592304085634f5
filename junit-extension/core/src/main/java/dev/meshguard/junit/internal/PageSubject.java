package dev.meshguard.junit.internal;

/**
 * The test, class or run that a page or a history is about, with its title and file name.
 *
 * @param title its title for readers
 * @param text its file name, as far as file systems allow
 * @param identity distinguishes it from all others; the same in each run
 * @param isOfWholeRun whether it covers all tests of a JVM; each JVM of a build has one
 */
public record PageSubject(String title, String text, String identity, boolean isOfWholeRun) {

    /** Returns the subject of a numbered part of this one. */
    public PageSubject part(String what, int number) {
        return new PageSubject(
                title + ", " + what + " " + number,
                text + "." + what + "." + number,
                identity + "/" + what + ":" + number,
                isOfWholeRun);
    }
}
