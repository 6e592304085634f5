package dev.meshguard.report.internal;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import dev.meshguard.text.Quantities;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One JSON object that was read: its fields are accessed by name and type, and a missing field, or one of another type,
 * is an error that names it.
 *
 * <p>Values are texts, numbers as {@link Long}, {@link Boolean}, objects as {@code JsonObject}, and lists of these.
 */
public final class JsonObject {

    /** No field has such a number. */
    private static final Object FRACTION = new Object();

    private final Map<String, @Nullable Object> values = new HashMap<>();

    private JsonObject() {}

    /**
     * Reads the one object of a line.
     *
     * @throws UnreadableLineException if the line is no object, or has a field twice
     */
    public static JsonObject ofLine(String line) throws IOException, UnreadableLineException {
        try (JsonParser parser = JsonSettings.factory().createParser(line)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw new UnreadableLineException("it is no JSON object");
            }
            JsonObject fields = object(parser);
            if (parser.nextToken() != null) {
                throw new UnreadableLineException("it is more than one JSON object");
            }
            return fields;
        } catch (JsonProcessingException e) {
            throw new UnreadableLineException("it is no JSON object");
        }
    }

    private static JsonObject object(JsonParser parser) throws IOException, UnreadableLineException {
        JsonObject fields = new JsonObject();
        for (String name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
            int before = fields.values.size();
            fields.values.put(name, value(parser, parser.nextToken()));
            if (fields.values.size() == before) {
                throw new UnreadableLineException("it has " + Quantities.quoted(name) + " twice");
            }
        }
        return fields;
    }

    private static @Nullable Object value(JsonParser parser, JsonToken token)
            throws IOException, UnreadableLineException {
        return switch (token) {
            case VALUE_STRING -> parser.getText();
            case VALUE_NUMBER_INT -> parser.getLongValue();
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            case START_OBJECT -> object(parser);
            case START_ARRAY -> array(parser);
            case VALUE_NULL -> null;
            default -> FRACTION;
        };
    }

    private static List<@Nullable Object> array(JsonParser parser) throws IOException, UnreadableLineException {
        List<@Nullable Object> values = new ArrayList<>();
        for (JsonToken token = parser.nextToken(); token != JsonToken.END_ARRAY; token = parser.nextToken()) {
            values.add(value(parser, token));
        }
        return values;
    }

    /** Returns whether there is such a field; one that is null counts as missing. */
    public boolean has(String name) {
        return values.get(name) != null;
    }

    /** Returns whether the value of a field is this text. */
    public boolean isText(String name, String text) {
        return text.equals(values.get(name));
    }

    /** Returns a whole number. */
    public long number(String name) throws UnreadableLineException {
        return value(name, Long.class, "no whole number");
    }

    /** Returns a text. */
    public String text(String name) throws UnreadableLineException {
        return value(name, String.class, "no text");
    }

    /**
     * Returns a value of a type.
     *
     * @param otherwise what another value is, as the end of a sentence
     */
    <T> T value(String name, Class<T> type, String otherwise) throws UnreadableLineException {
        Object value = values.get(name);
        if (value == null) {
            throw new UnreadableLineException("it has no \"" + name + "\"");
        }
        return cast(name, value, type, otherwise);
    }

    <T> List<T> list(String name, Class<T> type, String otherwise) throws UnreadableLineException {
        List<T> list = new ArrayList<>();
        for (Object element : value(name, List.class, otherwise)) {
            list.add(cast(name, element, type, otherwise));
        }
        return list;
    }

    private static <T> T cast(String name, @Nullable Object value, Class<T> type, String otherwise)
            throws UnreadableLineException {
        if (!type.isInstance(value)) {
            throw new UnreadableLineException("\"" + name + "\" is " + otherwise);
        }
        return type.cast(value);
    }
}
