package dev.meshguard.page.internal.data;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.MemoryCapacity;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.verdict.DeviceMemory;
import dev.meshguard.verdict.budget.BudgetSpec;
import dev.meshguard.verdict.budget.BudgetVerdict;
import java.io.IOException;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;

/** The live bytes over the events, of the whole mesh by type and of each memory of each device. */
public final class UsageFigures {

    /** The running totals of one memory of one device. */
    private static final class Tally {
        private long live;
        private long peak;
    }

    private final EnumMap<BufferType, Steps> series = new EnumMap<>(BufferType.class);
    private final Map<DeviceMemory, Tally> memories = new TreeMap<>();
    private long live;
    private long peakBytes;
    private long peakEvent;

    private final List<MeshDescription> meshes;
    private final long[] phases;

    private UsageFigures(List<MeshDescription> meshes, long... phases) {
        this.meshes = meshes;
        this.phases = phases;
    }

    /** Reads a history once. */
    public static UsageFigures of(AllocationHistory history) {
        UsageFigures usage = new UsageFigures(
                List.copyOf(history.meshes()),
                history.phases().stream()
                        .mapToLong(HistoryEvent.PhaseBegan::number)
                        .toArray());
        history.eachUsageChange(change -> usage.change(change.event(), change.device(), change.type(), change.bytes()));
        return usage;
    }

    private void change(long event, int device, BufferType type, long difference) {
        series.computeIfAbsent(type, unused -> new Steps()).change(event, difference);
        Tally tally = memories.computeIfAbsent(new DeviceMemory(device, type), unused -> new Tally());
        tally.live += difference;
        tally.peak = Math.max(tally.peak, tally.live);
        live += difference;
        if (live > peakBytes) {
            peakBytes = live;
            peakEvent = event;
        }
    }

    /** Returns the number of the event with the maximum bytes that were live at once on the whole mesh. */
    long peakEvent() {
        return peakEvent;
    }

    /** Returns the maximum bytes of each type that were live at once on the whole mesh. */
    public Map<BufferType, Long> peakByType() {
        EnumMap<BufferType, Long> peaks = new EnumMap<>(BufferType.class);
        series.forEach((type, steps) -> peaks.put(type, steps.peakBytes()));
        return peaks;
    }

    void writePeak(JsonGenerator json) throws IOException {
        json.writeObjectFieldStart("peak");
        json.writeNumberField("event", peakEvent);
        json.writeNumberField("bytes", peakBytes);
        json.writeEndObject();
    }

    void writeSeries(JsonGenerator json, Optional<BudgetVerdict> budgets, TruncationInfo shown) throws IOException {
        long steps = 0;
        long kept = 0;
        json.writeArrayFieldStart("series");
        for (Map.Entry<BufferType, Steps> one : series.entrySet()) {
            Steps ofType = one.getValue();
            int[] places = ofType.shown(phases);
            steps += ofType.count();
            kept += places.length;
            json.writeStartObject();
            json.writeStringField("type", one.getKey().name());
            Columns.numbers(
                    "event", Arrays.stream(places).mapToLong(ofType::event).toArray(), json);
            Columns.numbers(
                    "bytes", Arrays.stream(places).mapToLong(ofType::bytes).toArray(), json);
            json.writeObjectFieldStart("peak");
            json.writeNumberField("event", ofType.peakEvent());
            json.writeNumberField("bytes", ofType.peakBytes());
            json.writeEndObject();
            optional("budget", budgetOf(one.getKey(), budgets), json);
            optional("capacity", capacityOf(one.getKey()), json);
            json.writeEndObject();
        }
        json.writeEndArray();
        shown.add("series", kept, steps);
    }

    /** Returns the capacity of a memory of one device, if known; the latest mesh over the device decides. */
    Optional<MemoryCapacity> capacityOf(DeviceMemory memory) {
        return meshes.stream()
                .filter(mesh -> mesh.parent().isEmpty())
                .filter(mesh -> mesh.devices().contains(memory.device()))
                .reduce((first, latest) -> latest)
                .flatMap(mesh -> mesh.capacityOf(memory.type()));
    }

    /** The capacity of the mesh is known if that of each device with this memory is. */
    private OptionalLong capacityOf(BufferType type) {
        long sum = 0;
        for (DeviceMemory memory : memories.keySet()) {
            if (memory.type() == type) {
                Optional<MemoryCapacity> capacity = capacityOf(memory);
                if (capacity.isEmpty()) {
                    return OptionalLong.empty();
                }
                sum += capacity.get().banks() * capacity.get().bytesPerBank();
            }
        }
        return sum == 0 ? OptionalLong.empty() : OptionalLong.of(sum);
    }

    /** Each budget limits one device; together they limit the mesh if each of its devices has one. */
    private OptionalLong budgetOf(BufferType type, Optional<BudgetVerdict> budgets) {
        long sum = 0;
        for (DeviceMemory memory : memories.keySet()) {
            if (memory.type() == type) {
                OptionalLong limit = budgetOf(memory, budgets);
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
                .filter(budget -> applies(budget, memory))
                .flatMapToLong(budget -> budget.peakBytes().stream())
                .min();
    }

    private static boolean applies(BudgetSpec budget, DeviceMemory memory) {
        return budget.type() == memory.type()
                && (budget.device().isEmpty() || budget.device().getAsInt() == memory.device());
    }

    void writeMatrix(JsonGenerator json, Optional<BudgetVerdict> budgets) throws IOException {
        json.writeArrayFieldStart("matrix");
        for (Map.Entry<DeviceMemory, Tally> one : memories.entrySet()) {
            DeviceMemory memory = one.getKey();
            Tally tally = one.getValue();
            json.writeStartObject();
            json.writeNumberField("device", MeshGrid.number(memory.device()));
            json.writeStringField("type", memory.type().name());
            json.writeNumberField("liveBytes", tally.live);
            json.writeNumberField("peakBytes", tally.peak);
            json.writeNumberField("difference", tally.live - ofMost(memory.type(), false));
            json.writeNumberField("peakDifference", tally.peak - ofMost(memory.type(), true));
            optional("budget", budgetOf(memory, budgets), json);
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    /**
     * Returns the amount of a type on most devices: the median, which equals that of most devices if most are alike.
     */
    private long ofMost(BufferType type, boolean peak) {
        long[] values = memories.entrySet().stream()
                .filter(one -> one.getKey().type() == type)
                .mapToLong(one -> peak ? one.getValue().peak : one.getValue().live)
                .sorted()
                .toArray();
        return values[(values.length - 1) / 2];
    }

    private static void optional(String field, OptionalLong number, JsonGenerator json) throws IOException {
        if (number.isPresent()) {
            json.writeNumberField(field, number.getAsLong());
        }
    }
}
