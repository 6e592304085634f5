package dev.meshguard.server.log;

import dev.meshguard.capture.compression.internal.DecompressedInput;
import dev.meshguard.server.log.internal.LogLineReader;
import dev.meshguard.server.log.internal.LogParser;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Pattern;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Reads a log that an allocation server wrote, as a {@link ParsedLog}.
 *
 * <pre>{@code
 * ParsedLog log = AllocationLogReader.create().roundsAt(Pattern.compile("^=== Run \\d+")).read(file);
 * }</pre>
 *
 * <p>Immutable and safe for use by several threads; each log is read once, line by line, by the calling thread.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class AllocationLogReader {

    private final Optional<Pattern> roundMark;

    private AllocationLogReader(Optional<Pattern> roundMark) {
        this.roundMark = roundMark;
    }

    /** Returns a reader that recognizes only the server's own lines. */
    public static AllocationLogReader create() {
        return new AllocationLogReader(Optional.empty());
    }

    /**
     * Returns this reader for logs of a program that repeats its work. A line that contains the pattern begins a round,
     * which lasts to the next such line or to the end of the log.
     *
     * <p>Use {@link dev.meshguard.verdict.growth.Accumulation#of(dev.meshguard.history.AllocationHistory)} with
     * the log's history to find the survivors of the rounds. The check is then at the end of the log, so that no round
     * is skipped.
     */
    public AllocationLogReader roundsAt(Pattern mark) {
        return new AllocationLogReader(Optional.of(mark));
    }

    /**
     * Reads a log, plain or compressed with gzip; the file may be a pipe.
     *
     * @throws IOException if the file cannot be read
     */
    public ParsedLog read(Path file) throws IOException {
        try (InputStream log = DecompressedInput.open(file)) {
            return read(log, file.toString());
        }
    }

    /**
     * Reads a log, plain or compressed with gzip, to its end; the stream stays open.
     *
     * @param name the name of the log in messages
     * @throws IOException as {@link #read(Path)} does
     */
    public ParsedLog read(InputStream log, String name) throws IOException {
        return LogParser.of(name, new LogLineReader(log), roundMark);
    }
}
