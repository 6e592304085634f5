package dev.meshguard.page.internal.data;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.LongStream;

/** A JSON table of numbers: one array for each column instead of one object for each row. */
final class Columns {

    private final Map<String, LongStream.Builder> columns = new LinkedHashMap<>();

    Columns(String... names) {
        for (String name : names) {
            columns.put(name, LongStream.builder());
        }
    }

    /** Adds a row; the values are in the order of the names. */
    void row(long... values) {
        int column = 0;
        for (LongStream.Builder builder : columns.values()) {
            builder.add(values[column++]);
        }
    }

    void write(String field, JsonGenerator json) throws IOException {
        json.writeObjectFieldStart(field);
        for (Map.Entry<String, LongStream.Builder> column : columns.entrySet()) {
            numbers(column.getKey(), column.getValue().build().toArray(), json);
        }
        json.writeEndObject();
    }

    static void numbers(String field, long[] numbers, JsonGenerator json) throws IOException {
        json.writeFieldName(field);
        json.writeArray(numbers, 0, numbers.length);
    }

    static void texts(String field, Iterable<String> texts, JsonGenerator json) throws IOException {
        json.writeArrayFieldStart(field);
        for (String text : texts) {
            json.writeString(text);
        }
        json.writeEndArray();
    }
}
