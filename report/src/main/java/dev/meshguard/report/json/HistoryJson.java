package dev.meshguard.report.json;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.RequestContext;
import dev.meshguard.file.FileReplacement;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.report.internal.JsonSettings;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Writes a history as JSON Lines and reads it again: the verdict on the read history equals that on the written one,
 * byte for byte.
 *
 * <p>A header identifies the file. A line for each event follows, in order. Each request and each origin has a line
 * before the event that first refers to it. At the end are a line of sums for each device, and an end line with the
 * counts, which reveals a truncated file. The format is version {@value #VERSION}; {@code history-2.schema.json} beside
 * this class describes each line, and {@code docs/formats.md} describes the guarantees.
 *
 * <p>Always UTF-8, and the same in every locale. Numbers are integers of up to 64 bits: a reader that parses them as
 * floating point loses the low bits of addresses above 2^53.
 *
 * <p>Reading tolerates damage: unreadable lines, missing or unordered events and a truncated file become
 * {@linkplain dev.meshguard.event.HistoryEvent.ReportsLost lost reports} that name the line. The verdict is
 * then inconclusive and names the missing part.
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

    /** The version, the only one that can be read. */
    public static final int VERSION = 2;

    /** Incremented when a kind of line or a field is added that older readers may ignore. */
    static final int MINOR = 1;

    private HistoryJson() {}

    /** Writes a history to a file, replacing an existing one. */
    public static void write(AllocationHistory history, Path file) throws IOException {
        FileReplacement.writeText(file, writer -> write(history, writer));
    }

    /** Writes a history; the writer is flushed and stays open. A writer that encodes must encode as UTF-8. */
    public static void write(AllocationHistory history, Writer writer) throws IOException {
        SharedLines requests = new SharedLines();
        Map<Class<?>, LineForm<?>> forms = EventForms.all(requests.reference()).stream()
                .collect(Collectors.toUnmodifiableMap(LineForm::type, form -> form));
        try (JsonGenerator json = JsonSettings.factory().createGenerator(writer)) {
            LineForm.HEADER.write(
                    new LineForm.Header(
                            LineForm.FORMAT,
                            VERSION,
                            MINOR,
                            history.hasFlatAddresses(),
                            EventSequence.hasGaps(history.events()),
                            history.context().map(RequestContext::name)),
                    json);
            for (HistoryEvent event : history.events()) {
                requests.describe(HistoryEvent.requestOf(event), history.context(), json);
                Objects.requireNonNull(forms.get(event.getClass()), () -> "No form is defined for this event: " + event)
                        .write(event, json);
            }
            LineForm.END.write(new LineForm.End(history.events().size(), history.ledgerEntries()), json);
        }
        writer.write('\n');
        writer.flush();
    }

    /**
     * Reads a history from a file.
     *
     * @throws HistoryFormatException if the file is not a history, or has another version
     * @throws IOException if the file cannot be read
     */
    public static AllocationHistory read(Path file) throws IOException {
        // The default decoder would reject the whole file for one byte that is not UTF-8.
        try (InputStream bytes = Files.newInputStream(file);
                Reader reader = new InputStreamReader(bytes, StandardCharsets.UTF_8)) {
            return read(reader, file.toString());
        }
    }

    /**
     * Reads a history; the reader is read to its end and stays open.
     *
     * @param reader the characters
     * @param source their name in messages
     * @throws HistoryFormatException if they are not a history, or have another version
     * @throws IOException if they cannot be read
     */
    public static AllocationHistory read(Reader reader, String source) throws IOException {
        return new HistoryReader(reader, source).read();
    }
}
