package dev.meshguard.report.json;

import dev.meshguard.file.FileReplacement;
import dev.meshguard.report.VerdictReport;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Path;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Writes a verdict as one JSON document.
 *
 * <p>A view of the same report as the text of a failure, so the two never disagree. It contains the findings as data
 * with the numbers of their events, the sentences of the text, and the limits as {@code caveats}, each with a kind. The
 * format is version {@value #VERSION}; {@code verdict-2.schema.json} beside this class describes it, and
 * {@code docs/formats.md} describes the guarantees.
 *
 * <p>Always UTF-8, and the same in every locale. Numbers are integers of up to 64 bits.
 *
 * <pre>{@code
 * VerdictJson.write(VerdictReport.of(verdict), Path.of("verdict.json"));
 * }</pre>
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class VerdictJson {

    /** The written version. */
    public static final int VERSION = 2;

    /** Incremented when a field is added. */
    static final int MINOR = 0;

    private VerdictJson() {}

    /** Writes a verdict to a file, replacing an existing one. */
    public static void write(VerdictReport report, Path file) throws IOException {
        FileReplacement.writeText(file, writer -> write(report, writer));
    }

    /** Writes a verdict; the writer is flushed and stays open. A writer that encodes must encode as UTF-8. */
    public static void write(VerdictReport report, Writer writer) throws IOException {
        new VerdictWriter(report, writer).write();
    }

    /** Returns the document. */
    public static String text(VerdictReport report) {
        StringWriter text = new StringWriter();
        try {
            write(report, text);
        } catch (IOException e) {
            throw new UncheckedIOException("A text in memory cannot be written", e);
        }
        return text.toString();
    }
}
