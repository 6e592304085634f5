package dev.meshguard.page.internal.data;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;

/** The amount of data that a page omits; each class that omits data records it here. */
final class TruncationInfo {

    private record Part(long shown, long of) {}

    private final Map<String, Part> parts = new LinkedHashMap<>();

    void add(String what, long shown, long of) {
        parts.put(what, new Part(shown, of));
    }

    void write(JsonGenerator json) throws IOException {
        json.writeObjectFieldStart("aggregated");
        for (Map.Entry<String, Part> part : parts.entrySet()) {
            json.writeObjectFieldStart(part.getKey());
            json.writeNumberField("shown", part.getValue().shown());
            json.writeNumberField("of", part.getValue().of());
            json.writeEndObject();
        }
        json.writeEndObject();
    }
}
