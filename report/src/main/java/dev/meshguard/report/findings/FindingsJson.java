package dev.meshguard.report.findings;

import static dev.meshguard.report.internal.JsonPart.amount;
import static dev.meshguard.report.internal.JsonPart.choice;
import static dev.meshguard.report.internal.JsonPart.instant;
import static dev.meshguard.report.internal.JsonPart.integer;
import static dev.meshguard.report.internal.JsonPart.optionalInteger;
import static dev.meshguard.report.internal.JsonPart.record;
import static dev.meshguard.report.internal.JsonPart.text;
import static dev.meshguard.report.internal.JsonPart.truth;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.meshguard.event.BufferType;
import dev.meshguard.report.internal.JsonPart;
import dev.meshguard.report.internal.JsonSettings;
import dev.meshguard.text.Quantities;
import dev.meshguard.verdict.Outcome;
import dev.meshguard.verdict.baseline.Baseline;
import dev.meshguard.verdict.baseline.BaselineEntry;
import dev.meshguard.verdict.expectation.Expectation;
import dev.meshguard.verdict.expectation.ExpectedBuffers;
import dev.meshguard.verdict.expectation.SourceLine;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.Collectors;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Writes the lines of a file of findings, each a JSON object that stands alone.
 *
 * <p>A file has one line of kind {@code run}, then for each check its lines of kind {@code finding} and one of kind
 * {@code check}, and a line of kind {@code end}. Before that are the lines about the whole run: {@code entry},
 * {@code matched} and {@code excused} about an entry of expected buffers, {@code found} about a leak that a baseline may
 * have, {@code incomplete} about a test that did not complete. Every line repeats the run, so a database reads the lines of
 * many files as one table. A file without {@code end} is that of a JVM that was killed, or could not write. The format is
 * version {@value #VERSION}; {@code findings-1.schema.json} in the package of {@link dev.meshguard.report.json.HistoryJson}
 * describes a line, and {@code docs/reports.md} has the queries.
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

    static final JsonPart<Integer> SCHEMA = integer("schema");
    static final JsonPart<String> KIND = text("kind");
    static final JsonPart<String> RUN = text("run");

    /** An entry with its location: a line of a file, or an annotation or field. */
    static final JsonPart<Expectation> ENTRY = record(
                    Entry.class, text("entry"), text("place"), optionalInteger("placeLine"))
            .as(Entry::expectation, Entry::of);

    /** A leak as a line of a baseline. */
    static final JsonPart<String> LEAK = text("leak");

    static final JsonPart<String> TEST = text("test");
    static final JsonPart<Boolean> COMPLETED = truth("completed");
    static final JsonPart<Outcome> OUTCOME = choice("outcome", Outcome.class);

    private static final JsonPart<RunIdentity> IDENTITY = record(
            RunIdentity.class,
            RUN,
            text("jvm"),
            instant("began"),
            text("commit").optional(),
            text("machine").optional());
    private static final JsonPart<FindingRecord> FINDING = record(
            FindingRecord.class,
            text("fingerprint"),
            text("cause"),
            text("status"),
            choice("type", BufferType.class),
            text("line").optional(),
            truth("known"),
            amount("buffers"),
            amount("bytes"));

    /** The fields of the last line. */
    static final JsonPart<Count> COUNT = record(Count.class, amount("checks"), amount("findings"), amount("lines"));

    /** The checks, findings and lines of a file before its last line. */
    record Count(long checks, long findings, long lines) {
        @Override
        public String toString() {
            return Quantities.count(checks, "check") + " and " + Quantities.count(findings, "finding") + " in "
                    + Quantities.count(lines, "line");
        }
    }

    private record Entry(String entry, String place, OptionalInt placeLine) {

        private static Entry of(Expectation entry) {
            return entry.source()
                    .map(line -> new Entry(entry.toText(), line.file(), OptionalInt.of(line.line())))
                    .orElseGet(() -> new Entry(entry.toText(), entry.location().orElseThrow(), OptionalInt.empty()));
        }

        private Expectation expectation() {
            Expectation read = ExpectedBuffers.parse(entry, place).entries().stream()
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException("it has an entry without terms"));
            return placeLine.isPresent()
                    ? read.writtenAt(new SourceLine(place, placeLine.getAsInt()))
                    : read.locatedAt(place);
        }
    }

    /** Writes the fields of a line behind those of the run. */
    private interface Fields {
        void write(JsonGenerator json) throws IOException;
    }

    /** Returns the first line, ended by a line break. */
    public String begin() {
        return line("run", json -> {});
    }

    /** Returns a line for each entry, ended by a line break; each entry needs a location. */
    public String entries(EntryUse use, List<Expectation> entries) {
        return entries.stream()
                .map(entry -> line(use.kind(), json -> ENTRY.write(entry, json)))
                .collect(Collectors.joining());
    }

    /** Returns a line for each leak and each test that had it, ended by a line break. */
    public String found(Baseline leaks) {
        StringBuilder lines = new StringBuilder();
        for (BaselineEntry leak : leaks.entries().values()) {
            if (leak.tests().isEmpty()) {
                lines.append(line("found", json -> LEAK.write(leak.toString(), json)));
            }
            for (String test : leak.tests()) {
                lines.append(line("found", json -> {
                    LEAK.write(leak.toString(), json);
                    TEST.write(test, json);
                }));
            }
        }
        return lines.toString();
    }

    /** Returns the line of a test that failed, was aborted or is disabled, ended by a line break. */
    public String incomplete(String test) {
        return line("incomplete", json -> TEST.write(test, json));
    }

    /** Returns the lines of a check, each ended by a line break: its findings, and then the check. */
    public String check(CheckRecord check) {
        StringBuilder lines = new StringBuilder();
        for (FindingRecord finding : check.findings()) {
            lines.append(line("finding", json -> {
                writeSubject(check, json);
                FINDING.write(finding, json);
            }));
        }
        lines.append(line("check", json -> {
            writeSubject(check, json);
            OUTCOME.write(check.outcome(), json);
            JsonSettings.write("findings", check.findings().size(), json);
            JsonSettings.write("peakBytes", check.peakBytes(), json);
            JsonSettings.write("leakedBytes", check.leakedBytes(), json);
        }));
        return lines.toString();
    }

    /**
     * Returns the last line, ended by a line break.
     *
     * @param checks the number of checks in the file
     * @param findings the number of findings in the file
     * @param lines the number of lines in the file, the first included and the last not
     */
    public String end(long checks, long findings, long lines) {
        return line("end", json -> COUNT.write(new Count(checks, findings, lines), json));
    }

    private static void writeSubject(CheckRecord check, JsonGenerator json) throws IOException {
        TEST.write(check.test(), json);
        JsonSettings.write("subject", check.subject(), json);
        text("source").optional().write(check.source(), json);
        JsonSettings.write("result", check.result(), json);
        COMPLETED.write(check.completed(), json);
    }

    private String line(String kind, Fields fields) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = JsonSettings.factory().createGenerator(text)) {
            json.writeStartObject();
            SCHEMA.write(VERSION, json);
            KIND.write(kind, json);
            IDENTITY.write(identity, json);
            fields.write(json);
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException("A text in memory cannot be written", e);
        }
        return text.append('\n').toString();
    }
}
