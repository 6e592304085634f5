package dev.meshguard.report.export;

import dev.meshguard.event.Origin;
import dev.meshguard.event.Owner;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Survivor;
import dev.meshguard.verdict.baseline.Fingerprint;
import java.io.IOException;
import java.io.Writer;
import java.util.List;
import java.util.stream.Collectors;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Writes the survivors as a CSV table (RFC 4180), a line for each buffer, the oldest first.
 *
 * <p>The first line names the columns. Texts are unchanged from the code under test: import them as text into a
 * spreadsheet.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class SurvivorsCsv {

    private static final String LINE_END = "\r\n";

    private static final List<String> COLUMNS = List.of(
            "status",
            "cause",
            "type",
            "device",
            "address",
            "generation",
            "size",
            "event",
            "phase",
            "label",
            "owner",
            "fingerprint",
            "site",
            "expected_by");

    private SurvivorsCsv() {}

    /** Writes the table; the writer is flushed and stays open. A writer that encodes must encode as UTF-8. */
    public static void write(LeakVerdict verdict, Writer writer) throws IOException {
        writer.write(line(COLUMNS));
        for (Survivor survivor : verdict.survivors()) {
            writer.write(line(cells(survivor)));
        }
        writer.flush();
    }

    private static List<String> cells(Survivor survivor) {
        BufferGeneration buffer = survivor.buffer();
        return List.of(
                survivor.status().name(),
                survivor.cause().name(),
                buffer.type().name(),
                buffer.hasDevice() ? Integer.toString(buffer.device()) : "",
                buffer.hasDevice() ? Long.toString(buffer.address()) : "",
                Integer.toString(buffer.generation()),
                Long.toString(buffer.size()),
                Long.toString(buffer.allocatedAt()),
                buffer.allocatedIn().name(),
                buffer.label().orElse(""),
                buffer.owner().map(Owner::toString).orElse(""),
                Fingerprint.of(survivor).toString(),
                buffer.origin().flatMap(Origin::site).map(Object::toString).orElse(""),
                survivor.expectation().map(Object::toString).orElse(""));
    }

    private static String line(List<String> cells) {
        return cells.stream().map(SurvivorsCsv::cell).collect(Collectors.joining(",", "", LINE_END));
    }

    private static String cell(String text) {
        boolean isPlain = text.chars().noneMatch(c -> c == ',' || c == '"' || c == '\n' || c == '\r')
                && text.equals(text.strip());
        return isPlain ? text : '"' + text.replace("\"", "\"\"") + '"';
    }
}
