package dev.meshguard.report.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.SerializableString;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.StreamWriteFeature;
import com.fasterxml.jackson.core.io.CharacterEscapes;
import com.fasterxml.jackson.core.io.SerializedString;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import java.io.IOException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** How JSON is written and read here: the same characters everywhere, and every text comes back as it was. */
final class JsonText {

    /** What stands for bytes that are no UTF-8; written as an escape, so that one that is met unescaped is damage. */
    static final char REPLACEMENT = '\uFFFD';

    private static final JsonFactory FACTORY = new JsonFactoryBuilder()
            .disable(StreamWriteFeature.AUTO_CLOSE_TARGET)
            .disable(StreamWriteFeature.AUTO_CLOSE_CONTENT)
            .disable(StreamReadFeature.AUTO_CLOSE_SOURCE)
            .disable(JsonReadFeature.ALLOW_UNESCAPED_CONTROL_CHARS)
            .characterEscapes(new Escapes())
            .rootValueSeparator("\n")
            // A label may be as long as its writer liked.
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxStringLength(Integer.MAX_VALUE)
                    .build())
            .build();

    private JsonText() {}

    static JsonFactory factory() {
        return FACTORY;
    }

    static void write(JsonGenerator json, String field, Enum<?> value) throws IOException {
        json.writeStringField(field, value.name());
    }

    /** Escapes what no encoding can carry alone, what breaks lines, and what nobody sees. */
    private static final class Escapes extends CharacterEscapes {

        private static final long serialVersionUID = 1;

        @Override
        @SuppressWarnings("MissingSuperCall")
        public int[] getEscapeCodesForAscii() {
            int[] codes = standardAsciiEscapesForJSON();
            codes[0x7f] = ESCAPE_STANDARD;
            return codes;
        }

        @Override
        public @Nullable SerializableString getEscapeSequence(int character) {
            return isSafe((char) character)
                    ? null
                    : new SerializedString(String.format(Locale.ROOT, "\\u%04x", character));
        }

        private static boolean isSafe(char character) {
            return switch (Character.getType(character)) {
                case Character.CONTROL,
                        Character.FORMAT,
                        Character.SURROGATE,
                        Character.LINE_SEPARATOR,
                        Character.PARAGRAPH_SEPARATOR -> false;
                default -> character != REPLACEMENT;
            };
        }
    }
}
