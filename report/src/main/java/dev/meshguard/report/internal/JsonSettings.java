package dev.meshguard.report.internal;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.StreamWriteFeature;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import java.io.IOException;
import java.util.List;

/** The Jackson factory that all JSON readers and writers share, and the way to write a value whose type is not known. */
public final class JsonSettings {

    private static final JsonFactory FACTORY = new JsonFactoryBuilder()
            .disable(StreamWriteFeature.AUTO_CLOSE_TARGET)
            .disable(StreamWriteFeature.AUTO_CLOSE_CONTENT)
            .disable(StreamReadFeature.AUTO_CLOSE_SOURCE)
            .disable(JsonReadFeature.ALLOW_UNESCAPED_CONTROL_CHARS)
            .characterEscapes(new PlainEscapes(""))
            .rootValueSeparator("\n")
            // A label may have any length.
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxStringLength(Integer.MAX_VALUE)
                    .build())
            .build();

    private JsonSettings() {}

    /** Returns the factory of all readers and writers. */
    public static JsonFactory factory() {
        return FACTORY;
    }

    /** Writes a field with a text, number, truth, constant or a list of them; of any other object it is the text. */
    public static void write(String name, Object value, JsonGenerator json) throws IOException {
        json.writeFieldName(name);
        write(value, json);
    }

    /** Writes a text, number, truth, constant or a list of them; of any other object it is the text. */
    public static void write(Object value, JsonGenerator json) throws IOException {
        if (value instanceof Number number) {
            json.writeNumber(number.longValue());
        } else if (value instanceof Boolean truth) {
            json.writeBoolean(truth);
        } else if (value instanceof Enum<?> constant) {
            json.writeString(constant.name());
        } else if (value instanceof List<?> values) {
            json.writeStartArray();
            for (Object element : values) {
                write(element, json);
            }
            json.writeEndArray();
        } else {
            json.writeString(value.toString());
        }
    }
}
