package dev.meshguard.report.page.internal.data;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.SerializableString;
import com.fasterxml.jackson.core.io.CharacterEscapes;
import com.fasterxml.jackson.core.io.SerializedString;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** JSON that stands inside a page: nothing in it can end the element it stands in, and no encoding or eye misreads it. */
public final class InlineJson {

    private static final JsonFactory FACTORY =
            new JsonFactoryBuilder().characterEscapes(new Escapes()).build();

    /** Writes a document. */
    @FunctionalInterface
    public interface Writing {

        /** Writes all of it. */
        void write(JsonGenerator json) throws IOException;
    }

    private InlineJson() {}

    /** Returns a document on one line. */
    public static String text(Writing writing) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = FACTORY.createGenerator(text)) {
            writing.write(json);
        } catch (IOException e) {
            throw new UncheckedIOException("A text in memory cannot be written", e);
        }
        return text.toString();
    }

    private static final class Escapes extends CharacterEscapes {

        private static final long serialVersionUID = 1;

        @Override
        @SuppressWarnings("MissingSuperCall")
        public int[] getEscapeCodesForAscii() {
            int[] codes = standardAsciiEscapesForJSON();
            for (char special : new char[] {'<', '>', '&', '\'', '\u007f'}) {
                codes[special] = ESCAPE_STANDARD;
            }
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
                default -> true;
            };
        }
    }
}
