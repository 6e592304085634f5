package dev.meshguard.server.line.internal;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.async.ByteArrayFeeder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Parses lines of JSON, each of which is one object.
 *
 * <p>One parser reads the lines of all connections, one after the other, because a parser for each line would take twice the time. It
 * remembers at most some 65,000 keys. Not safe for use by several threads.
 */
public final class LineParser {

    /** The largest number of bytes of a line. */
    public static final int MAX_BYTES = 1 << 16;

    private static final int MAX_KEY = 64;
    private static final int MAX_DEPTH = 16;
    private static final int MAX_DIGITS = 40;

    private static final JsonFactory FACTORY = JsonFactory.builder()
            .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNameLength(MAX_KEY)
                    .maxNestingDepth(MAX_DEPTH)
                    .maxNumberLength(MAX_DIGITS)
                    .build())
            .build();

    private @Nullable JsonParser parser;

    /**
     * Reads bytes into a line; those that are no UTF-8 are replaced. After an error it has the fields before the error.
     *
     * @throws InvalidLineException if the bytes are not one JSON object
     */
    public void read(byte[] bytes, int from, int to, JsonLine line) {
        try {
            parse(bytes, from, to, line);
        } catch (InvalidLineException mayBeNoUtf8) {
            byte[] repaired =
                    new String(bytes, from, to - from, StandardCharsets.UTF_8).getBytes(StandardCharsets.UTF_8);
            line.clear();
            parse(repaired, 0, repaired.length, line);
        }
    }

    private void parse(byte[] bytes, int from, int to, JsonLine line) {
        JsonParser in = parser;
        parser = null;
        try {
            in = in == null ? FACTORY.createNonBlockingByteArrayParser() : in;
            ((ByteArrayFeeder) in.getNonBlockingInputFeeder()).feedInput(bytes, from, to);
            if (in.nextToken() != JsonToken.START_OBJECT) {
                throw new InvalidLineException("is no JSON object");
            }
            object(in, line);
            if (in.nextToken() != JsonToken.NOT_AVAILABLE) {
                throw new InvalidLineException("has more than one JSON object");
            }
            parser = in;
        } catch (JacksonException e) {
            throw new InvalidLineException("is no JSON: " + e.getOriginalMessage());
        } catch (IOException | IllegalStateException e) {
            throw new InvalidLineException("is no JSON: " + e.getMessage());
        }
    }

    private static JsonLine object(JsonParser in, JsonLine line) throws IOException {
        while (in.nextToken() == JsonToken.FIELD_NAME) {
            String key = in.currentName();
            Object value = value(in, in.nextToken());
            if (value != null) {
                line.put(key, value);
            }
        }
        if (in.currentToken() != JsonToken.END_OBJECT) {
            throw new InvalidLineException("ends within its JSON object");
        }
        return line;
    }

    private static @Nullable Object value(JsonParser in, JsonToken token) throws IOException {
        return switch (token) {
            case VALUE_STRING -> in.getText();
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> number(in.getNumberValue());
            case VALUE_TRUE, VALUE_FALSE -> token == JsonToken.VALUE_TRUE;
            case VALUE_NULL -> null;
            case START_OBJECT -> object(in, new JsonLine());
            case START_ARRAY -> array(in);
            default -> throw new InvalidLineException("ends within its JSON object");
        };
    }

    private static Number number(Number value) {
        return value instanceof Integer ? (Number) value.longValue() : value;
    }

    private static List<@Nullable Object> array(JsonParser in) throws IOException {
        List<@Nullable Object> elements = new ArrayList<>();
        while (in.nextToken() != JsonToken.END_ARRAY) {
            elements.add(value(in, in.currentToken()));
        }
        return elements;
    }
}
