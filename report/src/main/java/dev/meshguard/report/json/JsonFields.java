package dev.meshguard.report.json;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.Quantities;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** The fields of one JSON object, accessed by name and type. */
final class JsonFields {

    /** The device of memory that belongs to none. */
    static final String NO_DEVICE = "none";

    private static final int MAX_DEVICE = 65_535;

    private static final Object NUMBER = new Object();
    /** No number of the format has a fraction, so such a value is invalid. */
    private static final Object FRACTION = new Object();

    private static final int FIRST_CAPACITY = 12;
    private static final long[] NO_NUMBERS = {};

    private String[] names = new String[FIRST_CAPACITY];
    private @Nullable Object[] values = new @Nullable Object[FIRST_CAPACITY];
    private long[] numbers = new long[FIRST_CAPACITY];
    private int count;

    private JsonFields() {}

    /** Reads the one object of a line. */
    static JsonFields ofLine(char[] line, int offset, int length) throws IOException, UnreadableLineException {
        try (JsonParser parser = JsonFormat.factory().createParser(line, offset, length)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw new UnreadableLineException("it is no JSON object");
            }
            JsonFields fields = object(parser);
            if (parser.nextToken() != null) {
                throw new UnreadableLineException("it is more than one JSON object");
            }
            return fields;
        } catch (JsonProcessingException e) {
            throw new UnreadableLineException("it is no JSON object");
        }
    }

    private static JsonFields object(JsonParser parser) throws IOException, UnreadableLineException {
        JsonFields fields = new JsonFields();
        for (String name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
            fields.add(name, parser, parser.nextToken());
        }
        return fields;
    }

    private void add(String name, JsonParser parser, JsonToken token) throws IOException, UnreadableLineException {
        if (indexOf(name) >= 0) {
            throw new UnreadableLineException("it has " + Quantities.quoted(name) + " twice");
        }
        if (count == names.length) {
            names = Arrays.copyOf(names, count * 2);
            values = Arrays.copyOf(values, count * 2);
            numbers = Arrays.copyOf(numbers, count * 2);
        }
        names[count] = name;
        if (token == JsonToken.VALUE_NUMBER_INT) {
            numbers[count] = parser.getLongValue();
            values[count] = NUMBER;
        } else {
            values[count] = value(parser, token);
        }
        count++;
    }

    private static @Nullable Object value(JsonParser parser, JsonToken token)
            throws IOException, UnreadableLineException {
        return switch (token) {
            case VALUE_STRING -> parser.getText();
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            case START_OBJECT -> object(parser);
            case START_ARRAY -> array(parser);
            case VALUE_NULL -> null;
            default -> FRACTION;
        };
    }

    private static Object array(JsonParser parser) throws IOException, UnreadableLineException {
        long[] numbers = numbers(parser);
        JsonToken token = parser.currentToken();
        if (token == JsonToken.END_ARRAY) {
            return numbers;
        }
        List<@Nullable Object> values = new ArrayList<>();
        for (long number : numbers) {
            values.add(number);
        }
        while (token != JsonToken.END_ARRAY) {
            values.add(value(parser, token));
            token = parser.nextToken();
        }
        return values;
    }

    /** Reads the leading integers of a list; most lists contain nothing else, and some are long. */
    private static long[] numbers(JsonParser parser) throws IOException {
        long[] numbers = NO_NUMBERS;
        int count = 0;
        while (parser.nextToken() == JsonToken.VALUE_NUMBER_INT) {
            numbers = count == numbers.length ? Arrays.copyOf(numbers, Math.max(8, count * 2)) : numbers;
            numbers[count++] = parser.getLongValue();
        }
        return Arrays.copyOf(numbers, count);
    }

    boolean has(String name) {
        return value(name) != null;
    }

    long number(String name) throws UnreadableLineException {
        int at = indexOf(name);
        if (at < 0 || values[at] == null) {
            throw missing(name);
        }
        if (values[at] != NUMBER) {
            throw new UnreadableLineException("\"" + name + "\" is no whole number");
        }
        return numbers[at];
    }

    /** Returns a number that is a count. */
    long amount(String name) throws UnreadableLineException {
        long amount = number(name);
        if (amount < 0) {
            throw new UnreadableLineException("\"" + name + "\" is " + amount);
        }
        return amount;
    }

    int integer(String name) throws UnreadableLineException {
        long number = number(name);
        if (number != (int) number) {
            throw new UnreadableLineException("\"" + name + "\" is " + number);
        }
        return (int) number;
    }

    /** Returns the device of memory, which may belong to none. */
    int memoryDevice() throws UnreadableLineException {
        return NO_DEVICE.equals(value("device")) ? HistoryEvent.NO_DEVICE : device();
    }

    /** Returns the device, with the limits of a tracker. */
    int device() throws UnreadableLineException {
        long device = number("device");
        if (device < 0 || device > MAX_DEVICE) {
            throw new UnreadableLineException(
                    "\"device\" is " + device + ", and only devices 0 to " + MAX_DEVICE + " can be");
        }
        return (int) device;
    }

    OptionalLong optionalNumber(String name) throws UnreadableLineException {
        return has(name) ? OptionalLong.of(number(name)) : OptionalLong.empty();
    }

    OptionalInt optionalInteger(String name) throws UnreadableLineException {
        return has(name) ? OptionalInt.of(integer(name)) : OptionalInt.empty();
    }

    String text(String name) throws UnreadableLineException {
        return optionalText(name).orElseThrow(() -> missing(name));
    }

    Optional<String> optionalText(String name) throws UnreadableLineException {
        return optional(name, String.class, "no text");
    }

    boolean isTrue(String name) throws UnreadableLineException {
        return optional(name, Boolean.class, "neither true nor false").orElse(false);
    }

    <E extends Enum<E>> E choice(String name, Class<E> type) throws UnreadableLineException {
        return choice(type, name, text(name));
    }

    <E extends Enum<E>> Optional<E> optionalChoice(String name, Class<E> type) throws UnreadableLineException {
        return has(name) ? Optional.of(choice(name, type)) : Optional.empty();
    }

    Optional<JsonFields> optionalObject(String name) throws UnreadableLineException {
        return optional(name, JsonFields.class, "no object");
    }

    JsonFields object(String name) throws UnreadableLineException {
        return optionalObject(name).orElseThrow(() -> missing(name));
    }

    long[] numbers(String name) throws UnreadableLineException {
        Object value = required(name);
        if (value instanceof long[] list) {
            return list;
        }
        throw new UnreadableLineException("\"" + name + "\" is no list of whole numbers");
    }

    List<Integer> integers(String name) throws UnreadableLineException {
        List<Integer> integers = new ArrayList<>();
        for (long number : numbers(name)) {
            if (number != (int) number) {
                throw new UnreadableLineException("\"" + name + "\" holds " + number);
            }
            integers.add((int) number);
        }
        return integers;
    }

    List<String> texts(String name) throws UnreadableLineException {
        return list(name, String.class);
    }

    List<JsonFields> objects(String name) throws UnreadableLineException {
        return list(name, JsonFields.class);
    }

    private <T> List<T> list(String name, Class<T> type) throws UnreadableLineException {
        List<T> list = new ArrayList<>();
        Object value = required(name);
        if (value instanceof long[] numbers && numbers.length == 0) {
            return list;
        }
        if (value instanceof List<?> values) {
            for (Object element : values) {
                if (!type.isInstance(element)) {
                    throw new UnreadableLineException("\"" + name + "\" holds something else than it should");
                }
                list.add(type.cast(element));
            }
            return list;
        }
        throw new UnreadableLineException("\"" + name + "\" is no such list");
    }

    private <T> Optional<T> optional(String name, Class<T> type, String otherwise) throws UnreadableLineException {
        Object value = value(name);
        if (value != null && !type.isInstance(value)) {
            throw new UnreadableLineException("\"" + name + "\" is " + otherwise);
        }
        return Optional.ofNullable(type.cast(value));
    }

    private static <E extends Enum<E>> E choice(Class<E> type, String name, String word)
            throws UnreadableLineException {
        try {
            return Enum.valueOf(type, word);
        } catch (IllegalArgumentException e) {
            throw new UnreadableLineException(
                    "\"" + name + "\" is " + Quantities.quoted(word) + ", which is not known here");
        }
    }

    private Object required(String name) throws UnreadableLineException {
        Object value = value(name);
        if (value == null) {
            throw missing(name);
        }
        return value;
    }

    private @Nullable Object value(String name) {
        int at = indexOf(name);
        return at < 0 ? null : values[at];
    }

    private int indexOf(String name) {
        for (int i = 0; i < count; i++) {
            if (names[i].equals(name)) {
                return i;
            }
        }
        return -1;
    }

    private static UnreadableLineException missing(String name) {
        return new UnreadableLineException("it has no \"" + name + "\"");
    }
}
