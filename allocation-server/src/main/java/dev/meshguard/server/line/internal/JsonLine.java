package dev.meshguard.server.line.internal;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.async.ByteArrayFeeder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The fields of one line of JSON.
 *
 * <p>One object reads the lines of all connections, one after the other, because a parser for each line would take twice the time. All
 * fields are read before one is checked, so that the number of an invalid report is known. Not safe for use by several threads.
 */
public final class JsonLine {

    /** The largest number of bytes of a line. */
    public static final int MAX_BYTES = 1 << 16;

    private static final int MAX_TEXT = 4096;
    private static final int MAX_SHOWN = 40;
    private static final int MAX_KEY = 64;
    private static final int MAX_UNKNOWN_KEYS = 4096;
    private static final String PREFIX = "0x";
    private static final int HEXADECIMAL = 16;

    private static final JsonFactory FACTORY = JsonFactory.builder()
            .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
            .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
            .streamReadConstraints(
                    StreamReadConstraints.builder().maxNameLength(MAX_KEY).build())
            .build();

    private static final int FIELDS = Field.values().length;

    /** Stands for an object, whose fields are those of the line too. */
    private static final Object OBJECT = new Object() {
        @Override
        public String toString() {
            return "an object";
        }
    };

    // A bit for each field: whether the line has it, and whether its value is one of the numbers.
    private long present;
    private long numeric;
    private final Object[] values = new Object[FIELDS];
    private final long[] numbers = new long[FIELDS];

    private @Nullable JsonParser parser;

    /** A parser remembers every key, so a client could fill the memory with them. */
    private int unknownKeys;

    // Reading

    /** Forgets the fields of the line before, which another client may have sent. */
    public void clear() {
        present = 0;
        numeric = 0;
    }

    /**
     * Reads the fields of a line, which replace those of the line before.
     *
     * @throws InvalidLineException if it is not one JSON object
     */
    public void read(byte[] bytes, int from, int to) throws InvalidLineException {
        try {
            parse(bytes, from, to);
        } catch (InvalidLineException invalid) {
            byte[] repaired =
                    new String(bytes, from, to - from, StandardCharsets.UTF_8).getBytes(StandardCharsets.UTF_8);
            if (Arrays.equals(repaired, 0, repaired.length, bytes, from, to)) {
                throw invalid;
            }
            parse(repaired, 0, repaired.length);
        }
    }

    private void parse(byte[] bytes, int from, int to) throws InvalidLineException {
        clear();
        boolean isRead = false;
        try {
            JsonParser known = parser;
            if (known == null) {
                known = FACTORY.createNonBlockingByteArrayParser();
                parser = known;
            }
            ((ByteArrayFeeder) known.getNonBlockingInputFeeder()).feedInput(bytes, from, to);
            if (known.nextToken() != JsonToken.START_OBJECT) {
                throw new InvalidLineException("is no JSON object");
            }
            fields(known);
            if (known.nextToken() != JsonToken.NOT_AVAILABLE) {
                throw new InvalidLineException("has more than one JSON object");
            }
            isRead = unknownKeys < MAX_UNKNOWN_KEYS;
        } catch (JacksonException e) {
            throw new InvalidLineException("is no JSON: " + e.getOriginalMessage());
        } catch (IOException | IllegalStateException e) {
            throw new InvalidLineException("is no JSON: " + e.getMessage());
        } finally {
            if (!isRead) {
                parser = null;
                unknownKeys = 0;
            }
        }
    }

    private void fields(JsonParser in) throws IOException, InvalidLineException {
        JsonToken token = in.nextToken();
        while (token == JsonToken.FIELD_NAME) {
            Field field = Field.of(in.currentName());
            token = in.nextToken();
            if (field == null) {
                unknownKeys++;
                skip(in, token);
            } else if (field == Field.OWNER && token == JsonToken.START_OBJECT) {
                fields(in);
                keep(field, OBJECT);
            } else if (token == JsonToken.VALUE_NUMBER_INT && isLong(in)) {
                numbers[field.ordinal()] = in.getLongValue();
                present |= 1L << field.ordinal();
                numeric |= 1L << field.ordinal();
            } else if (token != JsonToken.VALUE_NULL) {
                keep(field, value(in, token));
            }
            token = in.nextToken();
        }
        if (token != JsonToken.END_OBJECT) {
            throw new InvalidLineException("ends within its JSON object");
        }
    }

    private void keep(Field field, Object value) {
        values[field.ordinal()] = value;
        present |= 1L << field.ordinal();
        numeric &= ~(1L << field.ordinal());
    }

    private static boolean isLong(JsonParser in) throws IOException {
        return in.getNumberType() != JsonParser.NumberType.BIG_INTEGER;
    }

    private static Object value(JsonParser in, JsonToken token) throws IOException, InvalidLineException {
        return switch (token) {
            case VALUE_STRING -> in.getText();
            case VALUE_NUMBER_INT -> isLong(in) ? (Object) in.getLongValue() : in.getBigIntegerValue();
            case VALUE_NUMBER_FLOAT -> in.getDoubleValue();
            case VALUE_TRUE, VALUE_FALSE -> token == JsonToken.VALUE_TRUE;
            case START_ARRAY -> array(in);
            default -> {
                skip(in, token);
                yield OBJECT;
            }
        };
    }

    private static List<Object> array(JsonParser in) throws IOException, InvalidLineException {
        List<Object> elements = new ArrayList<>();
        JsonToken token = in.nextToken();
        while (token != JsonToken.END_ARRAY) {
            elements.add(value(in, token));
            token = in.nextToken();
        }
        return elements;
    }

    /** A parser that waits for input cannot skip what is incomplete. */
    private static void skip(JsonParser in, JsonToken first) throws IOException, InvalidLineException {
        JsonToken token = first;
        int depth = 0;
        do {
            if (token == JsonToken.NOT_AVAILABLE) {
                throw new InvalidLineException("ends within its JSON object");
            }
            depth += token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
            token = depth > 0 ? in.nextToken() : token;
        } while (depth > 0);
    }

    // Fields

    /** Returns whether the line has a field. */
    public boolean has(Field field) {
        return (present >> field.ordinal() & 1) == 1;
    }

    private boolean isNumber(Field field) {
        return (numeric >> field.ordinal() & 1) == 1;
    }

    private Object value(Field field) throws InvalidLineException {
        if (!has(field)) {
            throw new InvalidLineException("has no " + field);
        }
        return isNumber(field) ? (Object) numbers[field.ordinal()] : values[field.ordinal()];
    }

    /** Returns a number. */
    public long number(Field field) throws InvalidLineException {
        return isNumber(field) ? checked(field, numbers[field.ordinal()]) : unsigned(field, value(field));
    }

    /** Returns a number, or another one if the line has none. */
    public long number(Field field, long absent) throws InvalidLineException {
        return has(field) ? number(field) : absent;
    }

    /** Returns the numbers of an array. */
    public List<Long> numbers(Field field) throws InvalidLineException {
        List<Long> result = new ArrayList<>();
        for (Object element : list(field)) {
            result.add(
                    element instanceof Long number ? (Long) checked(field, number) : (Long) unsigned(field, element));
        }
        return result;
    }

    private static long checked(Field field, long number) throws InvalidLineException {
        if (!field.isPossible(number)) {
            throw invalid(field, number, field.range());
        }
        return number;
    }

    /** JSON has no hexadecimal numbers, and many writers of it end at 2^63-1: an address may be a text. */
    private static long unsigned(Field field, Object value) throws InvalidLineException {
        if (field.isAddress() && value instanceof String text && text.startsWith(PREFIX)) {
            try {
                return Long.parseUnsignedLong(text, PREFIX.length(), text.length(), HEXADECIMAL);
            } catch (NumberFormatException e) {
                throw invalid(field, text, field.range());
            }
        }
        throw invalid(field, value, field.range());
    }

    /** Returns a text that is not blank, cut to {@value #MAX_TEXT} characters. */
    public Optional<String> text(Field field) throws InvalidLineException {
        if (!has(field)) {
            return Optional.empty();
        }
        if (!(value(field) instanceof String text)) {
            throw invalid(field, value(field), "texts");
        }
        return text.isBlank() ? Optional.empty() : Optional.of(cut(text));
    }

    /** Replaces what is no text, such as half of a surrogate pair, because no file could hold it. */
    private static String cut(String text) {
        String shorter = text.length() > MAX_TEXT ? text.substring(0, MAX_TEXT) : text;
        for (int index = 0; index < shorter.length(); index++) {
            if (Character.isSurrogate(shorter.charAt(index))) {
                return new String(shorter.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
            }
        }
        return shorter;
    }

    /** Returns the texts of an array. */
    public List<String> texts(Field field) throws InvalidLineException {
        return list(field).stream().map(String::valueOf).map(JsonLine::cut).toList();
    }

    private List<?> list(Field field) throws InvalidLineException {
        if (value(field) instanceof List<?> list) {
            return list;
        }
        throw invalid(field, value(field), "arrays");
    }

    /** Returns whether a field is an array and not an id. */
    public boolean isList(Field field) {
        return has(field) && !isNumber(field) && values[field.ordinal()] instanceof List<?>;
    }

    /** Returns whether a field is an object and not an id. */
    public boolean isObject(Field field) {
        return has(field) && !isNumber(field) && values[field.ordinal()] == OBJECT;
    }

    /** Returns a constant, or another one if the line has none. */
    public <E extends Enum<E>> E choice(Field field, Class<E> type, E absent) throws InvalidLineException {
        return choice(field, type).orElse(absent);
    }

    /** Returns a constant. */
    public <E extends Enum<E>> Optional<E> choice(Field field, Class<E> type) throws InvalidLineException {
        if (!has(field)) {
            return Optional.empty();
        }
        if (value(field) instanceof String name) {
            try {
                return Optional.of(Enum.valueOf(type, name));
            } catch (IllegalArgumentException isNoConstant) {
                // Said below, with the constants.
            }
        }
        throw invalid(
                field,
                value(field),
                Arrays.stream(type.getEnumConstants()).map(Enum::name).collect(Collectors.joining(", ")));
    }

    /** Returns a truth value, or another one if the line has none. */
    public boolean isTrue(Field field, boolean absent) throws InvalidLineException {
        if (!has(field)) {
            return absent;
        }
        if (value(field) instanceof Boolean isTrue) {
            return isTrue;
        }
        throw invalid(field, value(field), "true, false");
    }

    private static InvalidLineException invalid(Field field, Object value, String valid) {
        String shown = String.valueOf(value);
        return new InvalidLineException("has " + field + " "
                + (shown.length() > MAX_SHOWN ? shown.substring(0, MAX_SHOWN) + "…" : shown) + ", and valid are "
                + valid);
    }
}
