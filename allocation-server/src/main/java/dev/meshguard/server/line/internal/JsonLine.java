package dev.meshguard.server.line.internal;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
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

    /** Returns a number in a range, which the line must have. */
    public long number(String key, long least, long most) {
        if (fields.get(key) instanceof Long number && number >= least && number <= most) {
            return number;
        }
        throw invalid(key, least == most ? String.valueOf(most) : least + " to " + most);
    }

    /** Returns a number from 0 to 2^31-1; 0 if the line has none. */
    public int number(String key) {
        return has(key) ? (int) number(key, 0, Integer.MAX_VALUE) : 0;
    }

    /** Returns an array of numbers from 0, which the line must have. */
    public List<Integer> numbers(String key, int most) {
        List<?> elements = list(key);
        boolean areValid =
                elements.stream().allMatch(element -> element instanceof Long number && number >= 0 && number <= most);
        if (!areValid) {
            throw invalid(key, "0 to " + most);
        }
        return elements.stream().map(element -> ((Long) element).intValue()).toList();
    }

    /** Returns an address, which the line must have. */
    public long address(String key) {
        if (!has(key)) {
            throw invalid(key, "");
        }
        return address(key, fields.get(key));
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

    /** Returns a text, cut to {@value #MAX_TEXT} characters; none if the line has none, or a blank one. */
    public Optional<String> text(String key) {
        if (fields.get(key) instanceof String text) {
            return text.isBlank() ? Optional.empty() : Optional.of(cut(text));
        }
        if (has(key)) {
            throw invalid(key, "texts");
        }
        return Optional.empty();
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

    /** Returns whether a field is an array or an object. */
    public boolean isNested() {
        return fields.values().stream().anyMatch(value -> value instanceof List<?> || value instanceof JsonLine);
    }

    /** Returns whether a field is an array. */
    public boolean isList(String key) {
        return fields.get(key) instanceof List<?>;
    }

    private List<?> list(String key) {
        if (fields.get(key) instanceof List<?> list) {
            return list;
        }
        throw invalid(key, "arrays");
    }

    /** Returns the fields of an object; none if the field is no object. */
    public Optional<JsonLine> object(String key) {
        return fields.get(key) instanceof JsonLine object ? Optional.of(object) : Optional.empty();
    }

    /** Returns a constant; none if the line has none. */
    public <E extends Enum<E>> Optional<E> choice(String key, Class<E> type) {
        return has(key) ? Optional.of(requiredChoice(key, type)) : Optional.empty();
    }

    /** Returns a constant, which the line must have. */
    public <E extends Enum<E>> E requiredChoice(String key, Class<E> type) {
        if (fields.get(key) instanceof String name) {
            try {
                return Enum.valueOf(type, name);
            } catch (IllegalArgumentException isNoConstant) {
                // The error is the same as for every other value.
            }
        }
        throw invalid(
                key, Arrays.stream(type.getEnumConstants()).map(Enum::name).collect(Collectors.joining(", ")));
    }

    /** Returns a truth value, or another one if the line has none. */
    public boolean isTrue(String key, boolean absent) {
        if (has(key) && !(fields.get(key) instanceof Boolean)) {
            throw invalid(key, "true, false");
        }
        return fields.getOrDefault(key, absent).equals(true);
    }

    private InvalidLineException invalid(String key, String valid) {
        Object value = fields.get(key);
        return value == null ? new InvalidLineException("has no \"" + key + '"') : invalid(key, value, valid);
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
