package dev.meshguard.report.json;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.MemoryTotals;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.DeviceSums;
import java.io.IOException;
import java.io.Writer;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** Writes one history as JSON lines, for {@link HistoryJson}. */
final class HistoryWriter {

    static final String FORMAT = "meshguard-history";
    static final String HEADER = "header";
    static final String SUMS = "sums";
    static final String END = "end";

    private static final Map<Class<?>, EventForm<?>> FORMS =
            EventForm.ALL.stream().collect(Collectors.toUnmodifiableMap(EventForm::type, form -> form));

    private final AllocationHistory history;
    private final Writer writer;
    private final SharedLines requests = new SharedLines();

    HistoryWriter(AllocationHistory history, Writer writer) {
        this.history = history;
        this.writer = writer;
    }

    void write() throws IOException {
        try (JsonGenerator json = JsonFormat.factory().createGenerator(writer)) {
            header(json);
            for (HistoryEvent event : history.events()) {
                event(event, json);
            }
            for (DeviceSums sums : history.sums()) {
                sums(sums, json);
            }
            end(json);
        }
        writer.write('\n');
        writer.flush();
    }

    private void header(JsonGenerator json) throws IOException {
        json.writeStartObject();
        json.writeStringField("kind", HEADER);
        json.writeStringField("format", FORMAT);
        json.writeNumberField("version", HistoryJson.VERSION);
        json.writeNumberField("minor", HistoryJson.MINOR);
        json.writeBooleanField("flatAddresses", history.hasFlatAddresses());
        if (EventSequence.hasGaps(history.events())) {
            json.writeBooleanField("gaps", true);
        }
        if (history.context().isPresent()) {
            json.writeStringField("context", history.context().get().name());
        }
        json.writeEndObject();
    }

    private void event(HistoryEvent event, JsonGenerator json) throws IOException {
        Optional<MemoryRequest> request = EventForm.requestOf(event);
        if (request.isPresent()) {
            requests.describe(request.get(), json);
        }
        EventForm<?> form = FORMS.get(event.getClass());
        if (form == null) {
            throw new IllegalStateException("No form is defined for this event: " + event);
        }
        json.writeStartObject();
        json.writeStringField("kind", form.kind());
        json.writeNumberField("number", event.number());
        form.write(event, json, requests);
        json.writeEndObject();
    }

    private static void sums(DeviceSums sums, JsonGenerator json) throws IOException {
        json.writeStartObject();
        json.writeStringField("kind", SUMS);
        EventForm.device(json, sums.device());
        json.writeNumberField("ledgerEntries", sums.ledgerEntries());
        json.writeArrayFieldStart("totals");
        for (DeviceSums.TypeTotals account : sums.totals()) {
            json.writeStartObject();
            JsonFormat.write(json, "type", account.type());
            if (account.lifetime().isPresent()) {
                JsonFormat.write(json, "lifetime", account.lifetime().get());
            }
            amounts(account.amounts(), json);
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    private static void amounts(MemoryTotals amounts, JsonGenerator json) throws IOException {
        json.writeNumberField("liveBytes", amounts.liveBytes());
        json.writeNumberField("liveBuffers", amounts.liveBuffers());
        json.writeNumberField("liveReports", amounts.liveReports());
        json.writeNumberField("peakBytes", amounts.peakBytes());
        json.writeNumberField("peakBuffers", amounts.peakBuffers());
        json.writeNumberField("totalBytes", amounts.totalBytes());
        json.writeNumberField("totalBuffers", amounts.totalBuffers());
    }

    private void end(JsonGenerator json) throws IOException {
        json.writeStartObject();
        json.writeStringField("kind", END);
        json.writeNumberField("events", history.events().size());
        json.writeNumberField("sums", history.sums().size());
        json.writeEndObject();
    }
}
