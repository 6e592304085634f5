package dev.meshguard.page.internal.suite;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.meshguard.file.FileReplacement;
import dev.meshguard.file.ProcessLock;
import dev.meshguard.page.internal.suite.FindingTrends.Found;
import dev.meshguard.page.internal.suite.FindingTrends.Point;
import dev.meshguard.page.internal.suite.FindingTrends.Run;
import dev.meshguard.page.internal.suite.FindingTrends.Trend;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The file of the findings of the last runs, beside the overview page.
 *
 * <p>Several JVMs may add to it at the same time; each reads it again under a lock and replaces it as a whole. A file that
 * cannot be read is renamed, and a new one begins.
 *
 * @param folder the folder of the overview page
 */
public record FindingTrendsFile(Path folder) {

    static final String NAME = "trends.json";

    private static final String DAMAGED = NAME + ".unreadable";
    private static final String FORMAT = "meshguard-trends";
    private static final int VERSION = 1;
    private static final JsonFactory JSON = new JsonFactory();

    /** Returns whether runs were compared in the folder itself. */
    boolean exists() {
        return Files.exists(folder.resolve(NAME));
    }

    /** Returns the warnings for the page: renamed files, and an unreadable one. */
    List<String> warnings() {
        List<String> warnings = new ArrayList<>();
        try {
            read();
        } catch (IOException unreadable) {
            warnings.add(
                    NAME + " cannot be read, so nothing is compared with the run before: " + unreadable.getMessage());
        }
        for (int number = 1; Files.exists(aside(number)); number++) {
            warnings.add(NAME + " could not be read and is now " + aside(number).getFileName()
                    + "; the comparison of runs began anew.");
        }
        return warnings;
    }

    /** Returns the trends; none if there is no file or it is unreadable. */
    FindingTrends trends() {
        try {
            return read();
        } catch (IOException unreadable) {
            return FindingTrends.NONE;
        }
    }

    /**
     * Adds the execution of tests.
     *
     * @return the trends with it
     * @throws IOException if the file cannot be written
     */
    FindingTrends add(Run execution, Map<FindingTrends.Key, Found> found) throws IOException {
        Path file = folder.toAbsolutePath().normalize().resolve(NAME);
        return ProcessLock.holding(file, lock -> {
            FindingTrends after = readOrRename().with(execution, found);
            if (!lock.isValid()) {
                throw new IOException("The lock of " + file + " was lost while it was changed");
            }
            FileReplacement.<RuntimeException>writeText(file, writer -> writer.write(text(after)));
            return after;
        });
    }

    private FindingTrends readOrRename() throws IOException {
        try {
            return read();
        } catch (IOException unreadable) {
            int number = 1;
            while (Files.exists(aside(number))) {
                number++;
            }
            Files.move(folder.resolve(NAME), aside(number));
            return FindingTrends.NONE;
        }
    }

    private Path aside(int number) {
        return folder.resolve(number == 1 ? DAMAGED : DAMAGED + "-" + number);
    }

    private FindingTrends read() throws IOException {
        Path file = folder.resolve(NAME);
        if (!Files.exists(file)) {
            return FindingTrends.NONE;
        }
        try (JsonParser parser = JSON.createParser(Files.readString(file))) {
            return trends(object(parser, parser.nextToken()));
        } catch (ClassCastException | NullPointerException | IndexOutOfBoundsException malformed) {
            throw new IOException("it is not a file of version " + VERSION, malformed);
        }
    }

    private static FindingTrends trends(Map<String, @Nullable Object> file) throws IOException {
        if (!FORMAT.equals(file.get("format")) || !Long.valueOf(VERSION).equals(file.get("version"))) {
            throw new IOException("it is not a file of version " + VERSION);
        }
        List<Run> runs = new ArrayList<>();
        for (Object each : list(file.get("runs"))) {
            Map<String, @Nullable Object> run = fields(each);
            runs.add(new Run(
                    text(run, "at"),
                    text(run, "build"),
                    texts(run.get("tests")),
                    Math.toIntExact(number(run.get("size"))),
                    Boolean.TRUE.equals(run.get("isTruncated"))));
        }
        List<Trend> findings = new ArrayList<>();
        for (Object each : list(file.get("findings"))) {
            Map<String, @Nullable Object> finding = fields(each);
            List<@Nullable Point> points = new ArrayList<>();
            for (Object point : list(finding.get("points"))) {
                points.add(point == null ? null : point(list(point)));
            }
            if (points.size() != runs.size()) {
                throw new IOException("a finding has " + points.size() + " points for " + runs.size() + " runs");
            }
            findings.add(new Trend(
                    new FindingTrends.Key(
                            text(finding, "fingerprint"),
                            text(finding, "cause"),
                            text(finding, "status"),
                            String.valueOf(finding.getOrDefault("site", "")),
                            text(finding, "type")),
                    texts(finding.get("tests")),
                    points));
        }
        return new FindingTrends(runs, findings);
    }

    private static Point point(List<@Nullable Object> numbers) {
        return new Point(
                number(numbers.get(0)),
                number(numbers.get(1)),
                Math.toIntExact(number(numbers.get(2))),
                numbers.size() > 3);
    }

    private static long number(@Nullable Object value) {
        return (Long) Optional.ofNullable(value).orElseThrow(NullPointerException::new);
    }

    private static String text(Map<String, @Nullable Object> fields, String name) {
        return (String) Optional.ofNullable(fields.get(name)).orElseThrow(NullPointerException::new);
    }

    private static TreeSet<String> texts(@Nullable Object value) {
        TreeSet<String> texts = new TreeSet<>();
        list(value).forEach(text -> texts.add((String) Optional.ofNullable(text).orElseThrow()));
        return texts;
    }

    @SuppressWarnings("unchecked")
    private static List<@Nullable Object> list(@Nullable Object value) {
        return (List<@Nullable Object>) Optional.ofNullable(value).orElseThrow(NullPointerException::new);
    }

    @SuppressWarnings("unchecked")
    private static Map<String, @Nullable Object> fields(@Nullable Object value) {
        return (Map<String, @Nullable Object>) Optional.ofNullable(value).orElseThrow(NullPointerException::new);
    }

    private static Map<String, @Nullable Object> object(JsonParser parser, @Nullable JsonToken token)
            throws IOException {
        if (token != JsonToken.START_OBJECT) {
            throw new IOException("it is not a JSON object");
        }
        Map<String, @Nullable Object> fields = new HashMap<>();
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String name = parser.currentName();
            fields.put(name, value(parser, parser.nextToken()));
        }
        return fields;
    }

    private static @Nullable Object value(JsonParser parser, @Nullable JsonToken token) throws IOException {
        if (token == null) {
            throw new IOException("it ends early");
        }
        return switch (token) {
            case START_OBJECT -> object(parser, token);
            case START_ARRAY -> {
                List<@Nullable Object> values = new ArrayList<>();
                for (JsonToken next = parser.nextToken(); next != JsonToken.END_ARRAY; next = parser.nextToken()) {
                    values.add(value(parser, next));
                }
                yield values;
            }
            case VALUE_NUMBER_INT -> parser.getLongValue();
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            case VALUE_NULL -> null;
            default -> parser.getText();
        };
    }

    private static String text(FindingTrends trends) throws IOException {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = JSON.createGenerator(text)) {
            json.writeStartObject();
            json.writeStringField("format", FORMAT);
            json.writeNumberField("version", VERSION);
            json.writeArrayFieldStart("runs");
            for (Run run : trends.runs()) {
                write(run, json);
            }
            json.writeEndArray();
            json.writeArrayFieldStart("findings");
            for (Trend trend : trends.findings()) {
                write(trend, json);
            }
            json.writeEndArray();
            json.writeEndObject();
        }
        return text + "\n";
    }

    private static void write(Run run, JsonGenerator json) throws IOException {
        json.writeStartObject();
        json.writeStringField("at", run.at());
        json.writeStringField("build", run.build());
        json.writeNumberField("size", run.size());
        if (run.isTruncated()) {
            json.writeBooleanField("isTruncated", true);
        }
        write("tests", run.tests(), json);
        json.writeEndObject();
    }

    private static void write(Trend trend, JsonGenerator json) throws IOException {
        json.writeStartObject();
        write(trend.key(), json);
        write("tests", trend.tests(), json);
        json.writeArrayFieldStart("points");
        for (Point point : trend.points()) {
            if (point == null) {
                json.writeNull();
                continue;
            }
            json.writeStartArray();
            json.writeNumber(point.bytes());
            json.writeNumber(point.buffers());
            json.writeNumber(point.tests());
            if (point.isPartial()) {
                json.writeNumber(1);
            }
            json.writeEndArray();
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    static void write(FindingTrends.Key key, JsonGenerator json) throws IOException {
        json.writeStringField("fingerprint", key.fingerprint());
        json.writeStringField("cause", key.cause());
        json.writeStringField("status", key.status());
        if (!key.site().isEmpty()) {
            json.writeStringField("site", key.site());
        }
        json.writeStringField("type", key.type());
    }

    private static void write(String name, Iterable<String> values, JsonGenerator json) throws IOException {
        json.writeArrayFieldStart(name);
        for (String value : values) {
            json.writeString(value);
        }
        json.writeEndArray();
    }
}
