package dev.meshguard.page.internal.data;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** The texts of a page's data, each once: columns refer to them by index, because most are repeated. */
final class Texts {

    /** Represents no text. */
    static final int NONE = -1;

    private final Map<String, Integer> indexes = new LinkedHashMap<>();

    int index(String text) {
        return indexes.computeIfAbsent(text, unused -> indexes.size());
    }

    int index(Optional<String> text) {
        return text.map(this::index).orElse(NONE);
    }

    /** Call it after all columns are written. */
    void write(JsonGenerator json) throws IOException {
        json.writeArrayFieldStart("strings");
        for (String text : indexes.keySet()) {
            json.writeString(text);
        }
        json.writeEndArray();
    }
}
