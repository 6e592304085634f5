package dev.meshguard.report.export;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.StreamWriteFeature;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.Quantities;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.verdict.DeviceMemory;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Survivor;
import java.io.IOException;
import java.io.Writer;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Writes a run as a trace in Chrome's JSON format, which Perfetto and {@code chrome://tracing} open.
 *
 * <p>Each device is a process with a counter of live bytes for each memory, and each buffer a slice from its first
 * report to its last free. A survivor ends after the last event and has its status. Reports contain no time, so a
 * microsecond of the trace is an event.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class PerfettoTrace {

    private static final JsonFactory JSON = new JsonFactoryBuilder()
            .disable(StreamWriteFeature.AUTO_CLOSE_TARGET)
            .enable(JsonWriteFeature.ESCAPE_NON_ASCII)
            .build();

    private final AllocationHistory history;
    private final Map<BufferGeneration, Survivor> survivors = new HashMap<>();
    private final JsonGenerator json;

    private PerfettoTrace(LeakVerdict verdict, JsonGenerator json) {
        this.history = verdict.history();
        verdict.survivors().forEach(survivor -> survivors.put(survivor.buffer(), survivor));
        this.json = json;
    }

    /** Writes the trace; the writer is flushed and stays open. */
    public static void write(LeakVerdict verdict, Writer writer) throws IOException {
        try (JsonGenerator json = JSON.createGenerator(writer)) {
            new PerfettoTrace(verdict, json).write();
        }
        writer.write('\n');
        writer.flush();
    }

    private void write() throws IOException {
        json.writeStartObject();
        json.writeStringField("displayTimeUnit", "ns");
        json.writeArrayFieldStart("traceEvents");
        for (int device : devices()) {
            begin("process_name", "M", 0, device, 0);
            json.writeObjectFieldStart("args");
            json.writeStringField("name", Quantities.device(device));
            json.writeEndObject();
            json.writeEndObject();
        }
        phases();
        counters();
        slices();
        json.writeEndArray();
        json.writeEndObject();
    }

    private Iterable<Integer> devices() {
        TreeSet<Integer> devices = new TreeSet<>(history.devices());
        history.meshes().forEach(mesh -> devices.addAll(mesh.devices()));
        return devices;
    }

    private void phases() throws IOException {
        for (HistoryEvent.PhaseBegan phase : history.phases()) {
            begin(phase.phase().name(), "i", phase.number(), 0, 0);
            json.writeStringField("s", "g");
            json.writeEndObject();
        }
    }

    private void counters() throws IOException {
        Map<DeviceMemory, Long> live = new TreeMap<>();
        IOException[] failed = new IOException[1];
        history.eachUsageChange(change -> {
            long bytes = live.merge(new DeviceMemory(change.device(), change.type()), change.bytes(), Long::sum);
            try {
                if (failed[0] == null) {
                    counter(change.event(), change.device(), change.type(), bytes);
                }
            } catch (IOException notWritten) {
                failed[0] = notWritten;
            }
        });
        if (failed[0] != null) {
            throw failed[0];
        }
    }

    private void counter(long event, int device, BufferType type, long bytes) throws IOException {
        begin(type + " live bytes", "C", event, device, 0);
        json.writeObjectFieldStart("args");
        json.writeNumberField("bytes", bytes);
        json.writeEndObject();
        json.writeEndObject();
    }

    /** Buffers may overlap in any way, which is allowed only for slices with an id of their own. */
    private void slices() throws IOException {
        List<HistoryEvent> events = history.events();
        long end = events.isEmpty() ? 1 : events.get(events.size() - 1).number() + 1;
        long id = 0;
        for (BufferGeneration generation : history.generations()) {
            id++;
            slice("b", generation.allocatedAt(), generation, id);
            slice("e", generation.freedAt().orElse(end), generation, id);
        }
    }

    private void slice(String kind, long at, BufferGeneration generation, long id) throws IOException {
        begin(
                generation.label().orElse(generation.type().name()),
                kind,
                at,
                generation.device(),
                generation.type().code() + 1);
        json.writeStringField("cat", generation.type().name());
        json.writeStringField("id", String.format(Locale.ROOT, "0x%x", id));
        if (kind.equals("b")) {
            Survivor survivor = survivors.get(generation);
            json.writeObjectFieldStart("args");
            json.writeNumberField("size", generation.size());
            json.writeStringField("address", String.format(Locale.ROOT, "0x%x", generation.address()));
            json.writeStringField(
                    "status", survivor == null ? "freed" : survivor.status().description());
            if (survivor != null) {
                json.writeStringField("cause", survivor.cause().name());
            }
            json.writeEndObject();
        }
        json.writeEndObject();
    }

    private void begin(String name, String kind, long at, int process, int thread) throws IOException {
        json.writeStartObject();
        json.writeStringField("name", name);
        json.writeStringField("ph", kind);
        json.writeNumberField("ts", at);
        json.writeNumberField("pid", process);
        json.writeNumberField("tid", thread);
    }
}
