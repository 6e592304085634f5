package dev.meshguard.cli.common;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import dev.meshguard.report.internal.JsonFormat;
import java.io.IOException;
import java.io.Writer;
import java.util.Collection;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.LongStream;

/** The JSON output of a command: one document. */
public final class JsonDocument {

    /** Writes the fields of an object. */
    @FunctionalInterface
    public interface Fields<T> {
        void write(T element) throws IOException;
    }

    private final JsonGenerator json;

    private JsonDocument(JsonGenerator json) {
        this.json = json;
    }

    /** Writes a document with its format, its version and further fields; the writer is flushed and stays open. */
    public static void write(Writer out, String format, int version, Fields<JsonDocument> fields) throws IOException {
        DefaultIndenter lines = new DefaultIndenter("  ", "\n");
        try (JsonGenerator json = JsonFormat.factory().createGenerator(out)) {
            json.setPrettyPrinter(
                    new DefaultPrettyPrinter().withObjectIndenter(lines).withArrayIndenter(lines));
            JsonDocument document = new JsonDocument(json);
            json.writeStartObject();
            document.field("format", format);
            document.field("version", version);
            fields.write(document);
            json.writeEndObject();
        }
        out.write('\n');
        out.flush();
    }

    /** Writes a field with a text, number, truth, constant or a list of them; an unknown value has no field. */
    public void field(String name, Object value) throws IOException {
        if (value instanceof Optional<?> optional) {
            if (optional.isPresent()) {
                field(name, optional.get());
            }
        } else if (value instanceof OptionalInt number) {
            if (number.isPresent()) {
                field(name, number.getAsInt());
            }
        } else if (value instanceof OptionalLong number) {
            if (number.isPresent()) {
                field(name, number.getAsLong());
            }
        } else {
            JsonFormat.write(name, value, json);
        }
    }

    /** Writes a field with a document. */
    public void document(String name, String text) throws IOException {
        json.writeFieldName(name);
        json.writeRawValue(text);
    }

    /** Writes a list of numbers, however many. */
    public void numbers(String name, LongStream numbers) throws IOException {
        json.writeArrayFieldStart(name);
        for (var each = numbers.iterator(); each.hasNext(); ) {
            json.writeNumber(each.nextLong());
        }
        json.writeEndArray();
    }

    public <T> void object(String name, T element, Fields<T> fields) throws IOException {
        json.writeObjectFieldStart(name);
        fields.write(element);
        json.writeEndObject();
    }

    public <T> void objects(String name, Collection<T> elements, Fields<T> fields) throws IOException {
        json.writeArrayFieldStart(name);
        for (T element : elements) {
            json.writeStartObject();
            fields.write(element);
            json.writeEndObject();
        }
        json.writeEndArray();
    }
}
