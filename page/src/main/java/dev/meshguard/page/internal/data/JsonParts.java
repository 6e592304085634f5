package dev.meshguard.page.internal.data;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.util.Optional;
import java.util.OptionalLong;

/** Writes the parts of documents that the generator has no method for: lists of objects, and fields that may be missing. */
final class JsonParts {

    /** Writes the fields of one object. */
    @FunctionalInterface
    interface Fields<T> {
        void write(T element) throws IOException;
    }

    private JsonParts() {}

    static <T> void objects(String field, Iterable<T> elements, JsonGenerator json, Fields<T> fields)
            throws IOException {
        json.writeArrayFieldStart(field);
        for (T element : elements) {
            json.writeStartObject();
            fields.write(element);
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    static void optional(String field, Optional<String> text, JsonGenerator json) throws IOException {
        if (text.isPresent()) {
            json.writeStringField(field, text.get());
        }
    }

    static void optional(String field, OptionalLong number, JsonGenerator json) throws IOException {
        if (number.isPresent()) {
            json.writeNumberField(field, number.getAsLong());
        }
    }
}
