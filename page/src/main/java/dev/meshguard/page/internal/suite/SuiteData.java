package dev.meshguard.page.internal.suite;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.meshguard.page.internal.data.InlineJsonWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The records of all runs in a folder, read at one moment and written as the data of its overview page.
 *
 * <p>The files of a machine may have been copied into a subfolder, so subfolders are searched, too.
 */
public final class SuiteData {

    /** The subfolder of pages and records. */
    public static final String RUNS = "runs";

    /** The suffix of a record, after the name of its page. */
    public static final String RECORD = ".json";

    /** The suffix of a page, after its name. */
    public static final String PAGE = ".html";

    private static final int DEEPEST = 6;

    private static final JsonFactory JSON = new JsonFactory();

    /**
     * One record.
     *
     * @param json its content
     * @param page the path of its page relative to the folder; empty if it is missing
     */
    private record Entry(String json, String page, String title, String outcome, String headline) {}

    private final List<Entry> entries = new ArrayList<>();
    private final List<String> warnings = new ArrayList<>();

    private SuiteData() {}

    /** Reads a folder; unreadable files become warnings on the page. */
    public static SuiteData of(Path folder) throws IOException {
        SuiteData data = new SuiteData();
        for (Path record : records(folder)) {
            data.read(folder, record);
        }
        data.entries.sort(Comparator.comparing(Entry::title).thenComparing(Entry::page));
        return data;
    }

    /** Other JVMs write to the folder meanwhile, so a listed file may be missing when it is read. */
    private static List<Path> records(Path folder) throws IOException {
        List<Path> records = new ArrayList<>();
        Files.walkFileTree(folder, Set.of(), DEEPEST, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                if (isRecord(file)) {
                    records.add(file);
                }
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException why) throws IOException {
                if (why instanceof NoSuchFileException) {
                    return FileVisitResult.CONTINUE;
                }
                throw why;
            }
        });
        Collections.sort(records);
        return records;
    }

    private static boolean isRecord(Path file) {
        Path parent = file.getParent();
        return parent != null
                && parent.endsWith(RUNS)
                && file.getFileName().toString().endsWith(RECORD);
    }

    private void read(Path folder, Path record) throws IOException {
        String place = folder.relativize(record).toString().replace('\\', '/');
        try {
            String json = Files.readString(record, StandardCharsets.UTF_8);
            Map<String, String> texts = texts(json);
            if (!RunRecord.FORMAT.equals(texts.get("format"))
                    || !Integer.toString(RunRecord.VERSION).equals(texts.get("version"))) {
                warnings.add(place + " is no record of version " + RunRecord.VERSION + ", and is omitted.");
                return;
            }
            String page = place.substring(0, place.length() - RECORD.length()) + PAGE;
            entries.add(new Entry(
                    json,
                    Files.exists(folder.resolve(page)) ? page : "",
                    texts.getOrDefault("title", place),
                    texts.getOrDefault("outcome", ""),
                    texts.getOrDefault("headline", "")));
        } catch (NoSuchFileException removed) {
            // Deleted by another JVM after the listing: its test no longer leaks.
        } catch (IOException unreadable) {
            warnings.add(place + " cannot be read, and is omitted.");
        }
    }

    /**
     * Returns the values of the fields that are not lists or objects; parses all of it, so that no malformed record
     * gets into a page.
     */
    private static Map<String, String> texts(String json) throws IOException {
        Map<String, String> texts = new TreeMap<>();
        try (JsonParser parser = JSON.createParser(json)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                return texts;
            }
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String name = parser.currentName();
                if (parser.nextToken().isScalarValue()) {
                    texts.put(name, parser.getText());
                } else {
                    parser.skipChildren();
                }
            }
            parser.nextToken();
        }
        return texts;
    }

    /** Returns the number of runs. */
    public int size() {
        return entries.size();
    }

    /** Returns the warnings about unreadable files. */
    public List<String> warnings() {
        return List.copyOf(warnings);
    }

    /** Returns the runs as a list of lines, for readers without scripts. */
    public String description() {
        StringBuilder words = new StringBuilder();
        for (Entry entry : entries) {
            words.append(entry.outcome()).append("  ").append(entry.title());
            words.append("\n   ").append(entry.headline()).append('\n');
        }
        warnings.forEach(warning -> words.append("Warning: ").append(warning).append('\n'));
        return words.toString();
    }

    /** Returns the data of the page as JSON. */
    public String json() {
        return InlineJsonWriter.text(this::write);
    }

    private void write(JsonGenerator json) throws IOException {
        json.writeStartObject();
        json.writeStringField("format", "meshguard-suite");
        json.writeNumberField("version", 1);
        json.writeNumberField("minor", 0);
        json.writeArrayFieldStart("runs");
        for (Entry entry : entries) {
            write(entry, json);
        }
        json.writeEndArray();
        json.writeArrayFieldStart("warnings");
        for (String warning : warnings) {
            json.writeString(warning);
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    /** Copied field by field, so that texts are escaped for this page, regardless of their writer. */
    private static void write(Entry entry, JsonGenerator json) throws IOException {
        json.writeStartObject();
        try (JsonParser parser = JSON.createParser(entry.json())) {
            parser.nextToken();
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String name = parser.currentName();
                parser.nextToken();
                if (name.equals("format") || name.equals("version") || name.equals("page")) {
                    parser.skipChildren();
                } else {
                    json.writeFieldName(name);
                    json.copyCurrentStructure(parser);
                }
            }
        }
        if (!entry.page().isEmpty()) {
            json.writeStringField("page", entry.page());
        }
        json.writeEndObject();
    }
}
