package dev.meshguard.report.internal;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.meshguard.text.Quantities;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * The fields of a JSON object that hold one value, most often a single field; written and read in one place.
 *
 * <p>An unknown value has no field. Immutable and safe for use by several threads.
 *
 * @param <V> the type of the value
 */
public final class JsonPart<V> {

    /** Writes the fields of a value into an object that has begun. */
    @FunctionalInterface
    public interface Writing<V> {
        /** Writes the fields, or none if the value is unknown. */
        void write(V value, JsonGenerator json) throws IOException;
    }

    /** Reads the value of fields. */
    @FunctionalInterface
    public interface Reading<V> {
        /**
         * Returns the value.
         *
         * @throws UnreadableLineException if a field is missing, or its value is none that it can have
         */
        V read(JsonObject fields) throws UnreadableLineException;
    }

    private final Predicate<JsonObject> presence;
    private final Writing<V> writing;
    private final Reading<V> reading;

    private JsonPart(Predicate<JsonObject> presence, Writing<V> writing, Reading<V> reading) {
        this.presence = presence;
        this.writing = writing;
        this.reading = reading;
    }

    /** Returns a part with a field of the given name, and perhaps others. */
    public static <V> JsonPart<V> of(String name, Writing<V> writing, Reading<V> reading) {
        return new JsonPart<>(fields -> fields.has(name), writing, reading);
    }

    private static <V> JsonPart<V> field(String name, Reading<V> reading) {
        return of(name, (value, json) -> JsonSettings.write(name, value, json), reading);
    }

    /** Returns a whole number. */
    public static JsonPart<Long> number(String name) {
        return field(name, fields -> fields.number(name));
    }

    /** Returns a whole number that is a count. */
    public static JsonPart<Long> amount(String name) {
        return field(name, fields -> {
            long amount = fields.number(name);
            return checked(name, amount, amount >= 0);
        });
    }

    /** Returns a whole number that may be unknown. */
    public static JsonPart<OptionalLong> optionalNumber(String name) {
        return number(name).as(OptionalLong::of, OptionalLong::getAsLong).orElse(OptionalLong.empty());
    }

    /** Returns a whole number of 32 bits. */
    public static JsonPart<Integer> integer(String name) {
        return field(name, fields -> integer(name, fields.number(name)));
    }

    /** Returns a whole number of 32 bits that may be unknown. */
    public static JsonPart<OptionalInt> optionalInteger(String name) {
        return integer(name).as(OptionalInt::of, OptionalInt::getAsInt).orElse(OptionalInt.empty());
    }

    /** Returns a text. */
    public static JsonPart<String> text(String name) {
        return field(name, fields -> fields.text(name));
    }

    /** Returns whether something is true. */
    public static JsonPart<Boolean> truth(String name) {
        return field(name, fields -> fields.value(name, Boolean.class, "neither true nor false"));
    }

    /** Returns the name of a constant. */
    public static <E extends Enum<E>> JsonPart<E> choice(String name, Class<E> type) {
        return field(name, fields -> {
            String word = fields.text(name);
            try {
                return Enum.valueOf(type, word);
            } catch (IllegalArgumentException e) {
                throw new UnreadableLineException(
                        "\"" + name + "\" is " + Quantities.quoted(word) + ", which is not known here");
            }
        });
    }

    /** Returns a moment. */
    public static JsonPart<Instant> instant(String name) {
        return text(name).as(Instant::parse, Instant::toString);
    }

    /** Returns a list of texts. */
    public static JsonPart<List<String>> texts(String name) {
        return field(name, fields -> fields.list(name, String.class, "no list of texts"));
    }

    /** Returns a list of whole numbers. */
    public static JsonPart<List<Long>> numbers(String name) {
        return field(name, fields -> fields.list(name, Long.class, "no list of whole numbers"));
    }

    /** Returns a list of whole numbers of 32 bits. */
    public static JsonPart<List<Integer>> integers(String name) {
        JsonPart<List<Long>> numbers = numbers(name);
        return field(name, fields -> {
            List<Integer> integers = new ArrayList<>();
            for (long number : numbers.read(fields)) {
                integers.add(integer(name, number));
            }
            return integers;
        });
    }

    private static int integer(String name, long number) throws UnreadableLineException {
        return (int) checked(name, number, number == (int) number);
    }

    private static long checked(String name, long number, boolean isValid) throws UnreadableLineException {
        if (!isValid) {
            throw new UnreadableLineException("\"" + name + "\" is " + number);
        }
        return number;
    }

    /** Returns an object with the fields of another part. */
    public static <V> JsonPart<V> object(String name, JsonPart<V> part) {
        return of(
                name,
                (value, json) -> {
                    json.writeFieldName(name);
                    part.writeObject(value, json);
                },
                fields -> {
                    try {
                        return part.read(fields.value(name, JsonObject.class, "no object"));
                    } catch (IllegalArgumentException e) {
                        throw new UnreadableLineException("\"" + name + "\" has a value that it cannot have");
                    }
                });
    }

    /** Returns a list of objects, each with the fields of another part. */
    public static <V> JsonPart<List<V>> objects(String name, JsonPart<V> part) {
        return of(
                name,
                (values, json) -> {
                    json.writeArrayFieldStart(name);
                    for (V value : values) {
                        part.writeObject(value, json);
                    }
                    json.writeEndArray();
                },
                fields -> {
                    List<V> values = new ArrayList<>();
                    for (JsonObject object : fields.list(name, JsonObject.class, "no list of objects")) {
                        values.add(part.read(object));
                    }
                    return values;
                });
    }

    /**
     * Returns the fields of a record, without an object of their own.
     *
     * @param parts a part for each component, in their order; so the name of a field is not that of the component
     */
    public static <R extends Record> JsonPart<R> record(Class<R> type, JsonPart<?>... parts) {
        RecordComponents<R> components = new RecordComponents<>(type, List.of(parts));
        return new JsonPart<>(
                parts.length == 0 ? fields -> true : parts[0].presence, components::write, components::read);
    }

    /** Returns the same fields with values of another type. */
    public <T> JsonPart<T> as(Function<V, T> read, Function<T, V> written) {
        return new JsonPart<>(
                presence,
                (value, json) -> writing.write(written.apply(value), json),
                fields -> read.apply(reading.read(fields)));
    }

    /** Returns a part without fields for one value. */
    public JsonPart<V> orElse(V absent) {
        return new JsonPart<>(
                presence,
                (value, json) -> {
                    if (!value.equals(absent)) {
                        writing.write(value, json);
                    }
                },
                fields -> presence.test(fields) ? reading.read(fields) : absent);
    }

    /** Returns a part without fields for an unknown value. Of a record, the first field shows whether it is known. */
    public JsonPart<Optional<V>> optional() {
        return as(Optional::of, Optional::orElseThrow).orElse(Optional.empty());
    }

    /** Writes the fields of a value into an object that has begun. */
    public void write(V value, JsonGenerator json) throws IOException {
        writing.write(value, json);
    }

    /** Writes an object with the fields of a value. */
    public void writeObject(V value, JsonGenerator json) throws IOException {
        json.writeStartObject();
        write(value, json);
        json.writeEndObject();
    }

    /**
     * Reads the value.
     *
     * @throws UnreadableLineException if a field is missing, or its value is none that it can have
     */
    public V read(JsonObject fields) throws UnreadableLineException {
        return reading.read(fields);
    }
}
