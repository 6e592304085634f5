package dev.meshguard.verdict.expectation;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Where in a file an entry is written.
 *
 * @param file how the file is called
 * @param line the line, from 1
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record SourceLine(String file, int line) {

    /** Returns the place as an IDE makes it clickable: {@code meshguard-expected.txt:3}. */
    @Override
    public String toString() {
        return file + ":" + line;
    }
}
