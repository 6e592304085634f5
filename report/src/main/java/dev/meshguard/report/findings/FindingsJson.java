package dev.meshguard.report.findings;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.meshguard.report.internal.JsonFormat;
import dev.meshguard.verdict.baseline.Baseline;
import dev.meshguard.verdict.expectation.Expectation;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.List;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Writes the lines of a file of findings, each a JSON object that stands alone.
 *
 * <p>A file has one line of kind {@code run}, then for each check its lines of kind {@code finding} and one of kind
 * {@code check}, and a line of kind {@code end}. Between them are the lines about the whole run: {@code entry},
 * {@code matched} and {@code excused} about an entry of expected buffers, {@code found} about a leak that a baseline may
 * have. Every line repeats the run, so a database reads the lines of many files as one table. A file without {@code end} is that of a JVM
 * that was killed, or could not write. The format is version {@value #VERSION}; {@code findings-1.schema.json} in the package
 * of {@link dev.meshguard.report.json.HistoryJson} describes a line, and {@code docs/fleet.md} has the queries.
 *
 * <p>Immutable and safe for use by several threads.
 *
 * @param identity what every line says about the run
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record FindingsJson(RunIdentity identity) {

    /** The version, the only one that can be read. */
    public static final int VERSION = 1;

    /** Returns the first line, ended by a line break. */
    public String begin() {
        return lines(LineForm.RUN, List.of(new LineForm.Nothing()));
    }

    /** Returns a line for each entry, ended by a line break; each entry needs a location. */
    public String entries(EntryUse use, List<Expectation> entries) {
        return lines(
                LineForm.of(use),
                entries.stream()
                        .map(entry -> new JvmFindings.UsedEntry(entry, use))
                        .toList());
    }

    /** Returns a line for each leak, ended by a line break. */
    public String found(Baseline leaks) {
        return lines(
                LineForm.FOUND,
                leaks.entries().values().stream()
                        .map(leak -> new LineForm.Leak(leak.toString()))
                        .toList());
    }

    /** Returns the lines of a check, each ended by a line break: its findings, and then the check. */
    public String check(CheckRecord check) {
        LineForm.Subject subject = LineForm.Subject.of(check);
        return lines(
                        LineForm.FINDING,
                        check.findings().stream()
                                .map(finding -> LineForm.Finding.of(subject, finding))
                                .toList())
                + lines(LineForm.CHECK, List.of(LineForm.Check.of(subject, check)));
    }

    /**
     * Returns the last line, ended by a line break.
     *
     * @param checks the number of checks in the file
     * @param findings the number of findings in the file
     */
    public String end(long checks, long findings) {
        return lines(LineForm.END, List.of(new LineForm.End(checks, findings)));
    }

    private <V> String lines(LineForm<V> form, List<V> values) {
        StringWriter text = new StringWriter();
        for (V value : values) {
            try (JsonGenerator json = JsonFormat.factory().createGenerator(text)) {
                form.write(identity, value, json);
            } catch (IOException e) {
                throw new UncheckedIOException("A text in memory cannot be written", e);
            }
            text.append('\n');
        }
        return text.toString();
    }
}
