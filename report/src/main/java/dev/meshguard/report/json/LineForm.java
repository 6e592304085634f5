package dev.meshguard.report.json;

import static dev.meshguard.report.internal.JsonPart.amount;
import static dev.meshguard.report.internal.JsonPart.choice;
import static dev.meshguard.report.internal.JsonPart.number;
import static dev.meshguard.report.internal.JsonPart.objects;
import static dev.meshguard.report.internal.JsonPart.record;
import static dev.meshguard.report.internal.JsonPart.text;
import static dev.meshguard.report.internal.JsonPart.truth;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.MemoryTotals;
import dev.meshguard.history.DeviceSums;
import dev.meshguard.report.internal.JsonPart;
import java.io.IOException;
import java.util.Optional;

/**
 * The JSON form of a line of a history that is no event.
 *
 * @param kind the name of the kind in the line
 * @param part its fields
 */
record LineForm<V>(String kind, JsonPart<V> part) {

    static final String FORMAT = "meshguard-history";
    static final String SUMS_KIND = "sums";
    static final String END_KIND = "end";

    static final LineForm<Header> HEADER = new LineForm<>(
            "header",
            record(
                    Header.class,
                    text("format"),
                    number("version"),
                    number("minor"),
                    truth("flatAddresses"),
                    truth("gaps").orElse(false),
                    text("context").optional()));

    static final LineForm<DeviceSums> SUMS = new LineForm<>(
            SUMS_KIND,
            record(
                    DeviceSums.class,
                    EventForm.MEMORY_DEVICE,
                    amount("ledgerEntries"),
                    objects(
                            "totals",
                            record(
                                    DeviceSums.TypeTotals.class,
                                    EventForm.TYPE,
                                    choice("lifetime", BufferLifetime.class).optional(),
                                    record(
                                            MemoryTotals.class,
                                            number("liveBytes"),
                                            number("liveBuffers"),
                                            number("liveReports"),
                                            number("peakBytes"),
                                            number("peakBuffers"),
                                            number("totalBytes"),
                                            number("totalBuffers"))))));

    static final LineForm<End> END = new LineForm<>(END_KIND, record(End.class, amount("events"), amount("sums")));

    /**
     * The first line.
     *
     * @param gaps whether the numbers of events may skip
     * @param context the name of the context of which the history is the part
     */
    record Header(
            String format, long version, long minor, boolean flatAddresses, boolean gaps, Optional<String> context) {}

    /** The last line. */
    record End(long events, long sums) {}

    void write(V value, JsonGenerator json) throws IOException {
        json.writeStartObject();
        json.writeStringField("kind", kind);
        part.write(value, json);
        json.writeEndObject();
    }
}
