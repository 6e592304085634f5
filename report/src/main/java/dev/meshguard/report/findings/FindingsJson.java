package dev.meshguard.report.findings;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonGenerator;
import dev.meshguard.report.internal.PlainEscapes;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.Optional;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The lines of a file of findings, each a JSON object that stands alone.
 *
 * <p>A file has one line of kind {@code run}, then for each check its lines of kind {@code finding} and one of kind
 * {@code check}, and a line of kind {@code end}. Every line repeats the run, so a database reads the lines of many files
 * as one table. A file without {@code end} is that of a JVM that was killed, or could not write. The format is version
 * {@value #VERSION}; {@code findings-1.schema.json} in the package of {@link dev.meshguard.report.json.HistoryJson} describes a line, and {@code docs/fleet.md} has
 * the queries.
 *
 * <p>Immutable and safe for use by several threads.
 *
 * @param identity what every line says about the run
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record FindingsJson(RunIdentity identity) {

    /** The written version. */
    public static final int VERSION = 1;

    private static final JsonFactory JSON = new JsonFactoryBuilder()
            .characterEscapes(new PlainEscapes(""))
            .rootValueSeparator("\n")
            .build();

    /** Writes the fields of a line after those of the run. */
    private interface Fields {
        void write(JsonGenerator json) throws IOException;
    }

    /** Returns the first line, ended by a line break. */
    public String begin() {
        return text(json -> line("run", json, unused -> {}));
    }

    /** Returns the lines of a check, each ended by a line break: its findings, and then the check. */
    public String check(CheckRecord check) {
        return text(json -> {
            for (FindingRecord finding : check.findings()) {
                line("finding", json, fields -> write(check, finding, fields));
            }
            line("check", json, fields -> {
                writeSubject(check, fields);
                fields.writeStringField("outcome", check.outcome().name());
                fields.writeNumberField("findings", check.findings().size());
                fields.writeNumberField("peakBytes", check.peakBytes());
                fields.writeNumberField("leakedBytes", check.leakedBytes());
            });
        });
    }

    /**
     * Returns the last line, ended by a line break.
     *
     * @param checks the number of checks in the file
     * @param findings the number of findings in the file
     */
    public String end(long checks, long findings) {
        return text(json -> line("end", json, fields -> {
            fields.writeNumberField("checks", checks);
            fields.writeNumberField("findings", findings);
        }));
    }

    private static void write(CheckRecord check, FindingRecord finding, JsonGenerator json) throws IOException {
        writeSubject(check, json);
        json.writeStringField("fingerprint", finding.fingerprint());
        json.writeStringField("cause", finding.cause());
        json.writeStringField("status", finding.status());
        json.writeBooleanField("known", finding.known());
        json.writeStringField("type", finding.type().name());
        json.writeNumberField("buffers", finding.buffers());
        json.writeNumberField("bytes", finding.bytes());
        write("line", finding.line(), json);
    }

    private static void writeSubject(CheckRecord check, JsonGenerator json) throws IOException {
        json.writeStringField("test", check.test());
        json.writeStringField("subject", check.subject());
        write("source", check.source(), json);
        json.writeStringField("result", check.result());
        json.writeBooleanField("completed", check.completed());
    }

    private void line(String kind, JsonGenerator json, Fields fields) throws IOException {
        json.writeStartObject();
        json.writeNumberField("schema", VERSION);
        json.writeStringField("kind", kind);
        json.writeStringField("run", identity.run());
        json.writeStringField("jvm", identity.jvm());
        json.writeStringField("began", identity.began().toString());
        write("commit", identity.commit(), json);
        write("machine", identity.machine(), json);
        fields.write(json);
        json.writeEndObject();
    }

    private static void write(String name, Optional<String> value, JsonGenerator json) throws IOException {
        if (value.isPresent()) {
            json.writeStringField(name, value.get());
        }
    }

    private static String text(Fields lines) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = JSON.createGenerator(text)) {
            lines.write(json);
        } catch (IOException e) {
            throw new UncheckedIOException("A text in memory cannot be written", e);
        }
        return text.append('\n').toString();
    }
}
