package dev.meshguard.report.json;

import dev.meshguard.tracker.FileReplacement;
import dev.meshguard.tracker.history.AllocationHistory;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Writes a history down as JSON Lines and reads it again: the verdict on what was read is that on what was written, byte for byte.
 *
 * <p>A header says what the file is; a line for each event follows, in order, with a line for each request and each origin
 * before the event that first refers to it; then a line of sums for each device, and an end line with the counts, by which
 * a file that was cut short is known. The format is version {@value #VERSION}; {@code history-1.schema.json} beside this
 * class describes each line, and {@code docs/formats.md} says what is promised.
 *
 * <p>Always UTF-8, and the same in every locale. Numbers are whole and may need all 64 bits: a reader that takes numbers
 * for floating point loses the low bits of addresses above 2^53.
 *
 * <p>Reading survives damage: a line that cannot be read, events that are missing or out of order, a file that ends too
 * early become {@linkplain dev.meshguard.tracker.history.HistoryEvent.ReportsLost lost reports} that name the line, and
 * so the verdict is inconclusive and says what is missing.
 *
 * <pre>{@code
 * HistoryJson.write(tracker.history(), Path.of("history.jsonl"));
 * LeakVerdict verdict = LeakCheck.create().examine(HistoryJson.read(Path.of("history.jsonl")));
 * }</pre>
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class HistoryJson {

    /** The version that is written; what is read must be of it. */
    public static final int VERSION = 1;

    /** Grows when a kind of line or a field is added that older readers may do without. */
    static final int MINOR = 0;

    private HistoryJson() {}

    /** Writes a history to a file, in the place of what is there. */
    public static void write(AllocationHistory history, Path file) throws IOException {
        FileReplacement.writeText(file, writer -> write(history, writer));
    }

    /** Writes a history; the writer is flushed and stays open. If it encodes, it has to encode as UTF-8. */
    public static void write(AllocationHistory history, Writer writer) throws IOException {
        new HistoryWriter(history, writer).write();
    }

    /**
     * Reads a history from a file.
     *
     * @throws HistoryFormatException if the file is no history, or one of another version
     * @throws IOException if the file cannot be read
     */
    public static AllocationHistory read(Path file) throws IOException {
        // A decoder of its own choice would refuse the whole file for one byte that is no UTF-8.
        try (InputStream bytes = Files.newInputStream(file);
                Reader reader = new InputStreamReader(bytes, StandardCharsets.UTF_8)) {
            return read(reader, file.toString());
        }
    }

    /**
     * Reads a history; the reader is read to its end and stays open.
     *
     * @param reader the characters
     * @param source what they are called where something is wrong with them
     * @throws HistoryFormatException if they are no history, or one of another version
     * @throws IOException if they cannot be read
     */
    public static AllocationHistory read(Reader reader, String source) throws IOException {
        return new HistoryReader(reader, source).read();
    }
}
