package dev.meshguard.page.internal.data;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.event.MeshDescription.MemoryCapacity;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.MemorySnapshot.MemoryKey;
import dev.meshguard.history.Timeline;
import dev.meshguard.verdict.DeviceMemory;
import dev.meshguard.verdict.budget.BudgetMetric;
import dev.meshguard.verdict.budget.BudgetVerdict;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/** Writes the live bytes over the events of a run, of the whole mesh by type and of each memory of each device. */
final class UsageWriter {

    private final Map<BufferType, Timeline.Curve> series;
    private final Map<DeviceMemory, Timeline.Curve> memories;
    private final Timeline.Curve whole;
    private final List<MeshDescription> meshes;
    private final long[] phases;

    UsageWriter(AllocationHistory history) {
        Timeline timeline = history.timeline();
        this.series = new TreeMap<>(timeline.curvesBy(MemoryKey::type));
        this.memories = new TreeMap<>(timeline.curvesBy(DeviceMemory::of));
        this.whole = timeline.curve(memory -> true);
        this.meshes = List.copyOf(history.meshes());
        this.phases = history.phases().stream()
                .mapToLong(HistoryEvent.PhaseBegan::number)
                .toArray();
    }

    /** Returns the number of the event with the maximum bytes that were live at once on the whole mesh. */
    long peakEvent() {
        return whole.peakEvent();
    }

    void writePeak(JsonGenerator json) throws IOException {
        writePeak(whole, json);
    }

    private static void writePeak(Timeline.Curve curve, JsonGenerator json) throws IOException {
        json.writeObjectFieldStart("peak");
        json.writeNumberField("event", curve.peakEvent());
        json.writeNumberField("bytes", curve.peakBytes());
        json.writeEndObject();
    }

    void writeSeries(JsonGenerator json, Optional<BudgetVerdict> budgets, TruncationInfo shown) throws IOException {
        Map<BufferType, ShownSteps> kept = new TreeMap<>();
        series.forEach((type, curve) -> kept.put(type, new ShownSteps(curve, phases)));
        JsonParts.objects("series", kept.entrySet(), json, one -> {
            BufferType type = one.getKey();
            ShownSteps steps = one.getValue();
            json.writeStringField("type", type.name());
            Columns.numbers("event", steps.events(), json);
            Columns.numbers("bytes", steps.bytes(), json);
            writePeak(steps.curve(), json);
            JsonParts.optional("budget", sum(type, memory -> budgetOf(memory, budgets)), json);
            JsonParts.optional("capacity", sum(type, memory -> bytes(capacityOf(memory))), json);
        });
        shown.add(
                "series",
                kept.values().stream().mapToLong(ShownSteps::count).sum(),
                series.values().stream().mapToLong(Timeline.Curve::steps).sum());
    }

    /** Returns the capacity of a memory of one device, if known; the latest mesh over the device decides. */
    Optional<MemoryCapacity> capacityOf(DeviceMemory memory) {
        return meshes.stream()
                .filter(mesh -> mesh.parent().isEmpty())
                .filter(mesh -> mesh.devices().contains(memory.device()))
                .reduce((first, latest) -> latest)
                .flatMap(mesh -> mesh.capacityOf(memory.type()));
    }

    private static OptionalLong bytes(Optional<MemoryCapacity> capacity) {
        return capacity.isEmpty()
                ? OptionalLong.empty()
                : OptionalLong.of(capacity.get().banks() * capacity.get().bytesPerBank());
    }

    /** Limits are those of one device; together they limit the mesh if each of its devices with this memory has one. */
    private OptionalLong sum(BufferType type, Function<DeviceMemory, OptionalLong> limitOf) {
        long sum = 0;
        for (DeviceMemory memory : memories.keySet()) {
            if (memory.type() == type) {
                OptionalLong limit = limitOf.apply(memory);
                if (limit.isEmpty()) {
                    return limit;
                }
                sum += limit.getAsLong();
            }
        }
        return OptionalLong.of(sum);
    }

    private static OptionalLong budgetOf(DeviceMemory memory, Optional<BudgetVerdict> budgets) {
        return budgets.map(BudgetVerdict::budgets).orElse(List.of()).stream()
                .filter(budget -> budget.applies(memory))
                .flatMapToLong(budget -> budget.limit(BudgetMetric.PEAK_BYTES).stream())
                .min();
    }

    void writeMatrix(JsonGenerator json, Optional<BudgetVerdict> budgets) throws IOException {
        JsonParts.objects("matrix", memories.entrySet(), json, one -> {
            DeviceMemory memory = one.getKey();
            Timeline.Curve curve = one.getValue();
            json.writeNumberField("device", MeshGrid.number(memory.device()));
            json.writeStringField("type", memory.type().name());
            json.writeNumberField("liveBytes", curve.liveBytes());
            json.writeNumberField("peakBytes", curve.peakBytes());
            json.writeNumberField("difference", curve.liveBytes() - ofMost(memory.type(), Timeline.Curve::liveBytes));
            json.writeNumberField(
                    "peakDifference", curve.peakBytes() - ofMost(memory.type(), Timeline.Curve::peakBytes));
            JsonParts.optional("budget", budgetOf(memory, budgets), json);
        });
    }

    /**
     * Returns the amount of a type on most devices: the median, which equals that of most devices if most are alike.
     */
    private long ofMost(BufferType type, ToLongFunction<Timeline.Curve> amount) {
        long[] values = memories.entrySet().stream()
                .filter(one -> one.getKey().type() == type)
                .mapToLong(one -> amount.applyAsLong(one.getValue()))
                .sorted()
                .toArray();
        return values[(values.length - 1) / 2];
    }
}
