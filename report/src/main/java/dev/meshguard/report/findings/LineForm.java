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
import dev.meshguard.event.Quantities;
import dev.meshguard.report.findings.JvmFindings.UsedEntry;
import dev.meshguard.report.internal.JsonFields;
import dev.meshguard.report.internal.JsonPart;
import dev.meshguard.report.internal.UnreadableLineException;
import dev.meshguard.verdict.Outcome;
import dev.meshguard.verdict.expectation.Expectation;
import dev.meshguard.verdict.expectation.ExpectedBuffers;
import dev.meshguard.verdict.expectation.SourceLine;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The JSON form of one kind of line in a file of findings.
 *
 * @param kind the name of the kind
 * @param part its fields, behind those of the run
 */
record LineForm<V>(String kind, JsonPart<V> part) {

    private static final JsonPart<Integer> VERSION = integer("schema");
    private static final JsonPart<String> KIND = text("kind");
    private static final JsonPart<String> RUN_NAME = text("run");
    private static final JsonPart<RunIdentity> IDENTITY = record(
            RunIdentity.class,
            RUN_NAME,
            text("jvm"),
            instant("began"),
            text("commit").optional(),
            text("machine").optional());

    private static final JsonPart<Subject> SUBJECT = record(
            Subject.class,
            text("test"),
            text("subject"),
            text("source").optional(),
            text("result"),
            truth("completed"));

    static final LineForm<Nothing> RUN = new LineForm<>("run", record(Nothing.class));
    private static final LineForm<UsedEntry> EXPECTED = entry("entry", EntryUse.EXPECTED);
    private static final LineForm<UsedEntry> MATCHED = entry("matched", EntryUse.MATCHED);
    private static final LineForm<UsedEntry> EXCUSED = entry("excused", EntryUse.EXCUSED);
    static final LineForm<Leak> FOUND = new LineForm<>("found", record(Leak.class, text("leak")));
    static final LineForm<Finding> FINDING = new LineForm<>(
            "finding",
            record(
                    Finding.class,
                    SUBJECT,
                    text("fingerprint"),
                    text("cause"),
                    text("status"),
                    truth("known"),
                    choice("type", BufferType.class),
                    amount("buffers"),
                    amount("bytes"),
                    text("line").optional()));
    static final LineForm<Check> CHECK = new LineForm<>(
            "check",
            record(
                    Check.class,
                    SUBJECT,
                    choice("outcome", Outcome.class),
                    amount("findings"),
                    amount("peakBytes"),
                    amount("leakedBytes")));
    static final LineForm<End> END = new LineForm<>("end", record(End.class, amount("checks"), amount("findings")));

    private static final Map<String, LineForm<?>> ALL = Stream.of(
                    RUN, EXPECTED, MATCHED, EXCUSED, FOUND, FINDING, CHECK, END)
            .collect(Collectors.toUnmodifiableMap(LineForm::kind, form -> form));

    record Nothing() {}

    /** What was checked, and with which result. */
    record Subject(String test, String subject, Optional<String> source, String result, boolean completed) {

        static Subject of(CheckRecord check) {
            return new Subject(check.test(), check.subject(), check.source(), check.result(), check.completed());
        }
    }

    record Finding(
            Subject subject,
            String fingerprint,
            String cause,
            String status,
            boolean known,
            BufferType type,
            long buffers,
            long bytes,
            Optional<String> line) {

        static Finding of(Subject subject, FindingRecord finding) {
            return new Finding(
                    subject,
                    finding.fingerprint(),
                    finding.cause(),
                    finding.status(),
                    finding.known(),
                    finding.type(),
                    finding.buffers(),
                    finding.bytes(),
                    finding.line());
        }
    }

    record Check(Subject subject, Outcome outcome, long findings, long peakBytes, long leakedBytes) {

        static Check of(Subject subject, CheckRecord check) {
            return new Check(subject, check.outcome(), check.findings().size(), check.peakBytes(), check.leakedBytes());
        }
    }

    /**
     * An entry of expected buffers, as its line has it.
     *
     * @param entry its text, as in a file
     * @param place the file, or the annotation or field with the entry
     * @param placeLine the line in the file
     */
    private record Entry(String entry, String place, OptionalInt placeLine) {

        private static Entry of(Expectation entry) {
            return entry.source()
                    .map(line -> new Entry(entry.toText(), line.file(), OptionalInt.of(line.line())))
                    .orElseGet(() -> new Entry(entry.toText(), entry.location().orElseThrow(), OptionalInt.empty()));
        }

        private Expectation expectation() {
            Expectation read = ExpectedBuffers.parse(entry, place).entries().stream()
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException("There is no entry"));
            return placeLine.isPresent()
                    ? read.writtenAt(new SourceLine(place, placeLine.getAsInt()))
                    : read.locatedAt(place);
        }
    }

    /** A leak, as a line of a baseline. */
    record Leak(String leak) {}

    record End(long checks, long findings) {}

    static LineForm<UsedEntry> of(EntryUse use) {
        return switch (use) {
            case EXPECTED -> EXPECTED;
            case MATCHED -> MATCHED;
            case EXCUSED -> EXCUSED;
        };
    }

    private static LineForm<UsedEntry> entry(String kind, EntryUse use) {
        return new LineForm<>(
                kind,
                record(Entry.class, text("entry"), text("place"), optionalInteger("placeLine"))
                        .as(entry -> new UsedEntry(entry.expectation(), use), used -> Entry.of(used.entry())));
    }

    void write(RunIdentity identity, V value, JsonGenerator json) throws IOException {
        json.writeStartObject();
        VERSION.write(FindingsJson.VERSION, json);
        KIND.write(kind, json);
        IDENTITY.write(identity, json);
        part.write(value, json);
        json.writeEndObject();
    }

    /** Returns the name of the run to which a line belongs. */
    static String runOf(JsonFields line) throws UnreadableLineException {
        return RUN_NAME.read(line);
    }

    /** Returns the value of a line, which is of the type of its form. */
    static Object read(JsonFields line) throws UnreadableLineException {
        int version = VERSION.read(line);
        if (version != FindingsJson.VERSION) {
            throw new UnreadableLineException(
                    "its \"schema\" is " + version + ", and only " + FindingsJson.VERSION + " can be read here");
        }
        LineForm<?> form = ALL.get(KIND.read(line));
        if (form == null) {
            throw new UnreadableLineException("kind " + Quantities.quoted(KIND.read(line)) + " is not known here");
        }
        return form.part().read(line);
    }
}
