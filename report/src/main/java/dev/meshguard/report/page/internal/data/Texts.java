package dev.meshguard.report.page.internal.data;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** The texts that columns refer to by their place: most of them come again and again. */
final class Texts {

    /** Stands for no text. */
    static final int NONE = -1;

    private final Map<String, Integer> places = new LinkedHashMap<>();

    int place(String text) {
        return places.computeIfAbsent(text, unused -> places.size());
    }

    int place(Optional<String> text) {
        return text.map(this::place).orElse(NONE);
    }

    /** Written when all columns are. */
    void write(JsonGenerator json) throws IOException {
        json.writeArrayFieldStart("strings");
        for (String text : places.keySet()) {
            json.writeString(text);
        }
        json.writeEndArray();
    }
}
