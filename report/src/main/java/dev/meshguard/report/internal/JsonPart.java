package dev.meshguard.report.internal;

import com.fasterxml.jackson.core.JsonGenerator;
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
        V read(JsonFields fields) throws UnreadableLineException;
    }

    /** Reads the value of the field with a name. */
    private interface ValueReading<V> {
        V read(JsonFields fields, String name) throws UnreadableLineException;
    }

    private final Predicate<JsonFields> presence;
    private final Writing<V> writing;
    private final Reading<V> reading;

    private JsonPart(Predicate<JsonFields> presence, Writing<V> writing, Reading<V> reading) {
        this.presence = presence;
        this.writing = writing;
        this.reading = reading;
    }

    /** Returns a part with a field of the given name, and perhaps others. */
    public static <V> JsonPart<V> of(String name, Writing<V> writing, Reading<V> reading) {
        return new JsonPart<>(fields -> fields.has(name), writing, reading);
    }

    private static <V> JsonPart<V> field(String name, ValueReading<V> reading) {
        return of(name, (value, json) -> JsonFormat.write(name, value, json), fields -> reading.read(fields, name));
    }

    /** Returns a whole number. */
    public static JsonPart<Long> number(String name) {
        return field(name, JsonFields::number);
    }

    /** Returns a whole number that is a count. */
    public static JsonPart<Long> amount(String name) {
        return field(name, JsonFields::amount);
    }

    /** Returns a whole number that may be unknown. */
    public static JsonPart<OptionalLong> optionalNumber(String name) {
        return number(name).as(OptionalLong::of, OptionalLong::getAsLong).orElse(OptionalLong.empty());
    }

    /** Returns a whole number of 32 bits. */
    public static JsonPart<Integer> integer(String name) {
        return field(name, JsonFields::integer);
    }

    /** Returns a whole number of 32 bits that may be unknown. */
    public static JsonPart<OptionalInt> optionalInteger(String name) {
        return integer(name).as(OptionalInt::of, OptionalInt::getAsInt).orElse(OptionalInt.empty());
    }

    /** Returns a text. */
    public static JsonPart<String> text(String name) {
        return field(name, JsonFields::text);
    }

    /** Returns whether something is true. */
    public static JsonPart<Boolean> truth(String name) {
        return field(name, JsonFields::truth);
    }

    /** Returns the name of a constant. */
    public static <E extends Enum<E>> JsonPart<E> choice(String name, Class<E> type) {
        return field(name, (fields, field) -> fields.choice(field, type));
    }

    /** Returns a moment. */
    public static JsonPart<Instant> instant(String name) {
        return text(name).as(Instant::parse, Instant::toString);
    }

    /** Returns a list of texts. */
    public static JsonPart<List<String>> texts(String name) {
        return field(name, JsonFields::texts);
    }

    /** Returns a list of whole numbers. */
    public static JsonPart<List<Long>> numbers(String name) {
        return field(name, JsonFields::numbers);
    }

    /** Returns a list of whole numbers of 32 bits. */
    public static JsonPart<List<Integer>> integers(String name) {
        return field(name, JsonFields::integers);
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
                        return part.read(fields.object(name));
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
                    for (JsonFields object : fields.objects(name)) {
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
        RecordComponents<R> components = new RecordComponents<>(type, parts);
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
    public V read(JsonFields fields) throws UnreadableLineException {
        return reading.read(fields);
    }
}
