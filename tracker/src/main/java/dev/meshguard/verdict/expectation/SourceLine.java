package dev.meshguard.verdict.expectation;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The location of an expectation in a file of expected buffers: the file and the line.
 *
 * @param file the name of the file
 * @param line the line, from 1
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record SourceLine(String file, int line) {

    /** Returns the line in a form that IDEs make clickable: {@code meshguard-expected.txt:3}. */
    @Override
    public String toString() {
        return file + ":" + line;
    }
}
