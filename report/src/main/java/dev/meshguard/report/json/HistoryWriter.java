package dev.meshguard.report.json;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.RequestContext;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.DeviceSums;
import dev.meshguard.report.internal.JsonFormat;
import java.io.IOException;
import java.io.Writer;
import java.util.Map;
import java.util.stream.Collectors;

/** Writes one history as JSON lines, for {@link HistoryJson}. */
final class HistoryWriter {

    private final AllocationHistory history;
    private final Writer writer;
    private final SharedLines requests = new SharedLines();
    private final Map<Class<?>, LineForm<?>> forms = EventForms.all(requests.reference()).stream()
            .collect(Collectors.toUnmodifiableMap(LineForm::type, form -> form));

    HistoryWriter(AllocationHistory history, Writer writer) {
        this.history = history;
        this.writer = writer;
    }

    void write() throws IOException {
        try (JsonGenerator json = JsonFormat.factory().createGenerator(writer)) {
            LineForm.HEADER.write(
                    new LineForm.Header(
                            LineForm.FORMAT,
                            HistoryJson.VERSION,
                            HistoryJson.MINOR,
                            history.hasFlatAddresses(),
                            EventSequence.hasGaps(history.events()),
                            history.context().map(RequestContext::name)),
                    json);
            for (HistoryEvent event : history.events()) {
                event(event, json);
            }
            for (DeviceSums sums : history.sums()) {
                LineForm.SUMS.write(sums, json);
            }
            LineForm.END.write(
                    new LineForm.End(history.events().size(), history.sums().size()), json);
        }
        writer.write('\n');
        writer.flush();
    }

    private void event(HistoryEvent event, JsonGenerator json) throws IOException {
        LineForm<?> form = forms.get(event.getClass());
        if (form == null) {
            throw new IllegalStateException("No form is defined for this event: " + event);
        }
        var request = HistoryEvent.requestOf(event);
        if (request.isPresent()) {
            requests.describe(request.get(), json);
        }
        form.write(event, json);
    }
}
