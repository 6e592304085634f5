package dev.meshguard.cli.terminal;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import dev.meshguard.report.internal.JsonSettings;
import java.io.IOException;
import java.io.Writer;
import java.lang.reflect.RecordComponent;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * Writes the JSON output of a command from maps, lists, records and plain values; a value that is not known has no field.
 *
 * <p>An unknown value has no field. A public record is an object of its components, or the value of its only component.
 */
public final class JsonDocument {

    /** A value that is JSON already. */
    public record Verbatim(String json) {}

    private final JsonGenerator json;
    private final Map<Class<?>, RecordComponent[]> components = new HashMap<>();

    private JsonDocument(JsonGenerator json) {
        this.json = json;
    }

    /** Returns an object with fields in their order: a name and a value in turns. */
    public static Map<String, Object> object(Object... namesAndValues) {
        Map<String, Object> object = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            object.put((String) namesAndValues[i], namesAndValues[i + 1]);
        }
        return object;
    }

    /** Writes a document; the writer is flushed and stays open. */
    public static void write(Writer out, Map<String, Object> document) throws IOException {
        DefaultIndenter lines = new DefaultIndenter("  ", "\n");
        try (JsonGenerator json = JsonSettings.factory().createGenerator(out)) {
            json.setPrettyPrinter(
                    new DefaultPrettyPrinter().withObjectIndenter(lines).withArrayIndenter(lines));
            new JsonDocument(json).value(document);
        }
        out.write('\n');
        out.flush();
    }

    private void value(Object value) throws IOException {
        if (value instanceof Map<?, ?> object) {
            json.writeStartObject();
            for (Map.Entry<?, ?> field : object.entrySet()) {
                field((String) field.getKey(), field.getValue());
            }
            json.writeEndObject();
        } else if (value instanceof Iterable<?> list) {
            json.writeStartArray();
            for (Object each : list) {
                value(each);
            }
            json.writeEndArray();
        } else if (value instanceof Verbatim text) {
            json.writeRawValue(text.json);
        } else if (value instanceof Record record) {
            Map<String, Object> fields = fields(record);
            value(fields.size() == 1 ? fields.values().iterator().next() : fields);
        } else {
            JsonSettings.write(value, json);
        }
    }

    private void field(String name, Object value) throws IOException {
        Optional<?> known = known(value);
        if (known.isPresent()) {
            json.writeFieldName(name);
            value(known.get());
        }
    }

    /** Returns a value, or what is in an optional. */
    static Optional<?> known(Object value) {
        if (value instanceof OptionalInt number) {
            return number.stream().boxed().findFirst();
        }
        if (value instanceof OptionalLong number) {
            return number.stream().boxed().findFirst();
        }
        return value instanceof Optional<?> optional ? optional : Optional.of(value);
    }

    private Map<String, Object> fields(Record record) {
        Map<String, Object> fields = new LinkedHashMap<>();
        try {
            for (RecordComponent component :
                    components.computeIfAbsent(record.getClass(), Class::getRecordComponents)) {
                fields.put(component.getName(), component.getAccessor().invoke(record));
            }
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("A component cannot be read: " + record, e);
        }
        return fields;
    }
}
