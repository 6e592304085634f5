package dev.meshguard.report.json;

import static dev.meshguard.report.internal.JsonPart.amount;
import static dev.meshguard.report.internal.JsonPart.number;
import static dev.meshguard.report.internal.JsonPart.record;
import static dev.meshguard.report.internal.JsonPart.text;
import static dev.meshguard.report.internal.JsonPart.truth;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.meshguard.report.internal.JsonPart;
import java.io.IOException;
import java.util.Optional;

/**
 * The JSON form of one kind of line in the file of a history.
 *
 * @param kind the name of the kind in a line
 * @param type the value of a line
 * @param part its fields: a name for each component, in their order
 */
record LineForm<V extends Record>(String kind, Class<V> type, JsonPart<V> part) {

    static final String FORMAT = "meshguard-history";
    static final String END_KIND = "end";

    static final LineForm<Header> HEADER = of(
            "header",
            Header.class,
            text("format"),
            number("version"),
            number("minor"),
            truth("flatAddresses"),
            truth("gaps").orElse(false),
            text("context").optional());

    static final LineForm<End> END = of(END_KIND, End.class, amount("events"), amount("ledgerEntries"));

    /**
     * The first line.
     *
     * @param gaps whether the numbers of events may skip
     * @param context the name of the context of which the history is the part
     */
    record Header(
            String format, long version, long minor, boolean flatAddresses, boolean gaps, Optional<String> context) {}

    /** The last line. */
    record End(long events, long ledgerEntries) {}

    static <V extends Record> LineForm<V> of(String kind, Class<V> type, JsonPart<?>... parts) {
        return new LineForm<>(kind, type, record(type, parts));
    }

    /** Writes the line of a value of this type. */
    void write(Object value, JsonGenerator json) throws IOException {
        json.writeStartObject();
        json.writeStringField("kind", kind);
        part.write(type.cast(value), json);
        json.writeEndObject();
    }
}
