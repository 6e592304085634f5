package dev.meshguard.server.line.internal;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The fields of one line, or of an object in it, by their keys.
 *
 * <p>A method that returns a field throws an {@link InvalidLineException} if its value is not valid. Not safe for use by several threads.
 */
public final class JsonLine {

    private static final int MAX_TEXT = 4096;
    private static final int MAX_SHOWN = 40;
    private static final int HEXADECIMAL = 16;

    private final Map<String, Object> fields = new HashMap<>();

    void put(String key, Object value) {
        if (fields.putIfAbsent(key, value) != null) {
            throw new InvalidLineException("has \"" + key + "\" twice");
        }
    }

    void clear() {
        fields.clear();
    }

    /** Returns whether the line has a field. */
    public boolean has(String key) {
        return fields.containsKey(key);
    }

    private Object required(String key) {
        Object value = fields.get(key);
        if (value == null) {
            throw new InvalidLineException("has no \"" + key + '"');
        }
        return value;
    }

    // Numbers

    /** Returns a number in a range, which the line must have. */
    public long number(String key, long least, long most) {
        return number(key, required(key), least, most);
    }

    /** Returns a number in a range, or another one if the line has none. */
    public long number(String key, long least, long most, long absent) {
        Object value = fields.get(key);
        return value == null ? absent : number(key, value, least, most);
    }

    /** Returns a number from 0 to 2^31-1; 0 if the line has none. */
    public int number(String key) {
        return (int) number(key, 0, Integer.MAX_VALUE, 0);
    }

    /** Returns an array of numbers from 0, which the line must have. */
    public List<Integer> numbers(String key, int most) {
        return list(key).stream()
                .map(element -> (int) number(key, element, 0, most))
                .toList();
    }

    private static long number(String key, @Nullable Object value, long least, long most) {
        if (value instanceof Long number && number >= least && number <= most) {
            return number;
        }
        throw invalid(key, value, least == most ? String.valueOf(most) : least + " to " + most);
    }

    /** Returns an address, which the line must have. */
    public long address(String key) {
        return address(key, required(key));
    }

    /** Returns an array of addresses, which the line must have. */
    public long[] addresses(String key) {
        return list(key).stream().mapToLong(element -> address(key, element)).toArray();
    }

    /** JSON has no hexadecimal numbers, and many writers of it end at 2^63-1: an address may be a text. */
    private static long address(String key, @Nullable Object value) {
        if (value instanceof Long number && number >= 0) {
            return number;
        }
        if (value instanceof String text && text.startsWith("0x")) {
            try {
                return Long.parseUnsignedLong(text, 2, text.length(), HEXADECIMAL);
            } catch (NumberFormatException isNoAddress) {
                // The error is the same as for every other value.
            }
        }
        throw invalid(key, value, "0 to " + Long.MAX_VALUE + ", or a text \"0x0\" to \"0xffffffffffffffff\"");
    }

    // Texts

    /** Returns a text, cut to {@value #MAX_TEXT} characters; none if the line has none, or a blank one. */
    public Optional<String> text(String key) {
        Object value = fields.getOrDefault(key, "");
        if (value instanceof String text) {
            return text.isBlank() ? Optional.empty() : Optional.of(cut(text));
        }
        throw invalid(key, value, "texts");
    }

    /** Returns the first elements of an array, which the line must have, as texts. */
    public List<String> texts(String key, int atMost) {
        return list(key).stream()
                .limit(atMost)
                .map(element -> cut(shown(element)))
                .toList();
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

    // Choices

    /** Returns a constant; none if the line has none. */
    public <E extends Enum<E>> Optional<E> choice(String key, Class<E> type) {
        return has(key) ? Optional.of(requiredChoice(key, type)) : Optional.empty();
    }

    /** Returns a constant; none if the line has none, or the word that stands for none. */
    public <E extends Enum<E>> Optional<E> choice(String key, Class<E> type, String none) {
        boolean isNone = !has(key) || none.equals(fields.get(key));
        return isNone ? Optional.empty() : Optional.of(constant(key, type, Stream.of(none)));
    }

    /** Returns a constant, which the line must have. */
    public <E extends Enum<E>> E requiredChoice(String key, Class<E> type) {
        return constant(key, type, Stream.empty());
    }

    private <E extends Enum<E>> E constant(String key, Class<E> type, Stream<String> others) {
        Object value = required(key);
        for (E constant : type.getEnumConstants()) {
            if (constant.name().equals(value)) {
                return constant;
            }
        }
        throw invalid(
                key,
                value,
                Stream.concat(others, Arrays.stream(type.getEnumConstants()).map(Enum::name))
                        .collect(Collectors.joining(", ")));
    }

    /** Returns a truth value, or another one if the line has none. */
    public boolean isTrue(String key, boolean absent) {
        Object value = fields.getOrDefault(key, absent);
        if (value instanceof Boolean truth) {
            return truth;
        }
        throw invalid(key, value, "true, false");
    }

    // Arrays and objects

    /** Returns whether a field is an array or an object. */
    public boolean isNested() {
        return fields.values().stream().anyMatch(value -> value instanceof List<?> || value instanceof JsonLine);
    }

    /** Returns whether a field is an array. */
    public boolean isList(String key) {
        return fields.get(key) instanceof List<?>;
    }

    private List<?> list(String key) {
        Object value = required(key);
        if (value instanceof List<?> list) {
            return list;
        }
        throw invalid(key, value, "arrays");
    }

    /** Returns the fields of an object; none if the field is no object. */
    public Optional<JsonLine> object(String key) {
        return fields.get(key) instanceof JsonLine object ? Optional.of(object) : Optional.empty();
    }

    private static InvalidLineException invalid(String key, @Nullable Object value, String valid) {
        String shown = shown(value);
        return new InvalidLineException("has \"" + key + "\" "
                + (shown.length() > MAX_SHOWN ? shown.substring(0, MAX_SHOWN) + "…" : shown) + ", and valid are "
                + valid);
    }

    private static String shown(@Nullable Object value) {
        return value instanceof List<?> ? "an array" : value instanceof JsonLine ? "an object" : String.valueOf(value);
    }
}
