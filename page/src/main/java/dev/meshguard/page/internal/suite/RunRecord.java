package dev.meshguard.page.internal.suite;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.history.MemorySnapshot.MemoryKey;
import dev.meshguard.history.Timeline;
import dev.meshguard.page.internal.data.InlineJsonWriter;
import dev.meshguard.page.internal.data.RunFigures;
import dev.meshguard.report.Finding;
import dev.meshguard.report.SurvivorFinding;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.DeviceMemory;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.SurvivorStatus;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * The summary of a run for the overview page, as a line of JSON.
 *
 * @param id identifies the run, and is the same when the run is repeated
 * @param figures all data of the run
 * @param machine the name of its machine, if it has one
 * @param fork the name of its JVM among several
 */
public record RunRecord(String id, RunFigures figures, Optional<String> machine, String fork) {

    static final String FORMAT = "meshguard-run-record";
    static final int VERSION = 1;

    /** Returns the record as JSON. */
    public String json() {
        return InlineJsonWriter.text(this::write);
    }

    private void write(JsonGenerator json) throws IOException {
        LeakVerdict verdict = figures.verdict();
        List<SurvivorFinding> leaks = figures.report().survivors(SurvivorStatus.LEAKED);
        json.writeStartObject();
        json.writeStringField("format", FORMAT);
        json.writeNumberField("version", VERSION);
        json.writeStringField("id", id);
        json.writeStringField("title", figures.title());
        json.writeStringField("outcome", verdict.outcome().name());
        json.writeStringField(
                "headline", figures.description().lines().findFirst().orElse(""));
        json.writeNumberField("leaks", leaks.size());
        json.writeNumberField("leakedBytes", Finding.bytesOf(leaks));
        json.writeNumberField("buffers", verdict.sum().allocated());
        Timeline timeline = verdict.history().timeline();
        peaks("peakByType", timeline.curvesBy(MemoryKey::type), Function.identity(), json);
        peaks("devicePeakByType", timeline.curvesBy(DeviceMemory::of), DeviceMemory::type, json);
        json.writeNumberField("durationMillis", duration(verdict).toMillis());
        Optional<HistoryEvent.Checked> check = verdict.history().check();
        if (check.isPresent()) {
            json.writeStringField("day", check.get().today().toString());
        }
        if (machine.isPresent()) {
            json.writeStringField("machine", machine.get());
        }
        json.writeStringField("fork", fork);
        causes(json);
        RecordedFindings.write(figures, json);
        json.writeArrayFieldStart("expectationsUsed");
        for (String words : figures.expectationsUsed()) {
            json.writeString(words);
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    /** Writes the maximum bytes of each type that any group of memories held at once. */
    private static <G> void peaks(
            String field, Map<G, Timeline.Curve> curves, Function<G, BufferType> type, JsonGenerator json)
            throws IOException {
        EnumMap<BufferType, Long> peaks = new EnumMap<>(BufferType.class);
        curves.forEach((group, curve) -> peaks.merge(type.apply(group), curve.peakBytes(), Math::max));
        json.writeObjectFieldStart(field);
        for (Map.Entry<BufferType, Long> peak : peaks.entrySet()) {
            json.writeNumberField(peak.getKey().name(), peak.getValue());
        }
        json.writeEndObject();
    }

    private void causes(JsonGenerator json) throws IOException {
        EnumMap<Cause, Long> causes = new EnumMap<>(Cause.class);
        figures.report().survivors().stream()
                .filter(finding -> finding.status() != SurvivorStatus.EXPECTED)
                .forEach(finding -> causes.merge(finding.cause(), 1L, Long::sum));
        json.writeObjectFieldStart("causes");
        for (Map.Entry<Cause, Long> cause : causes.entrySet()) {
            json.writeNumberField(cause.getKey().name(), cause.getValue());
        }
        json.writeEndObject();
    }

    /** The time between the first and the last event with a known time; zero for a log without times. */
    private static Duration duration(LeakVerdict verdict) {
        Instant first = Instant.MAX;
        Instant last = Instant.MIN;
        for (HistoryEvent event : verdict.history().events()) {
            Optional<Instant> at = event instanceof HistoryEvent.PhaseBegan phase
                    ? Optional.of(phase.at())
                    : event instanceof HistoryEvent.MeshOpened mesh
                            ? Optional.of(mesh.at())
                            : event instanceof HistoryEvent.MeshClosed mesh ? Optional.of(mesh.at()) : Optional.empty();
            if (at.isPresent()) {
                first = at.get().isBefore(first) ? at.get() : first;
                last = at.get().isAfter(last) ? at.get() : last;
            }
        }
        return first.isBefore(last) ? Duration.between(first, last) : Duration.ZERO;
    }
}
