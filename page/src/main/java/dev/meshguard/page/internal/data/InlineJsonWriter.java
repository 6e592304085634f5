package dev.meshguard.page.internal.data;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonGenerator;
import dev.meshguard.report.internal.PlainEscapes;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;

/** Writes JSON on one line, in which no text can end the element of the page around it. */
public final class InlineJsonWriter {

    private static final JsonFactory FACTORY =
            new JsonFactoryBuilder().characterEscapes(new PlainEscapes("<>&'")).build();

    /** Writes a document. */
    @FunctionalInterface
    public interface Writing {

        /** Writes all of it. */
        void write(JsonGenerator json) throws IOException;
    }

    private InlineJsonWriter() {}

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
}
