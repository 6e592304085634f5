package dev.meshguard.report.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.StreamWriteFeature;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import dev.meshguard.report.internal.PlainEscapes;
import java.io.IOException;

/** The JSON settings: the same characters everywhere, and every text is read as it was written. */
final class JsonFormat {

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

    private JsonFormat() {}

    static JsonFactory factory() {
        return FACTORY;
    }

    static void write(JsonGenerator json, String field, Enum<?> value) throws IOException {
        json.writeStringField(field, value.name());
    }
}
