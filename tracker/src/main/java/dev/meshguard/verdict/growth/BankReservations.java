package dev.meshguard.verdict.growth;

import dev.meshguard.event.MemoryCapacity;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.verdict.DeviceMemory;
import dev.meshguard.verdict.internal.HeldMemory;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** The reserved memory of each bank at the ends of rounds, until a close resets it; the basis of a forecast. */
final class BankReservations {

    private record Change(int round, DeviceMemory memory, long bytesPerBank) {}

    private final AllocationHistory history;
    private final List<Change> changes = new ArrayList<>();
    private final Map<DeviceMemory, Long> before = new HashMap<>();
    private final Set<DeviceMemory> unknown = new HashSet<>();

    BankReservations(AllocationHistory history) {
        this.history = history;
    }

    /**
     * Adds a buffer that is allocated at the ends of the rounds from one index to another, where it is gone; indexes
     * start at 0.
     */
    void held(BufferGeneration buffer, boolean sinceBefore, int from, int until) {
        DeviceMemory memory = new DeviceMemory(buffer.device(), buffer.type());
        OptionalLong bytes = HeldMemory.bytesPerBank(buffer);
        if (bytes.isEmpty()) {
            unknown.add(memory);
            return;
        }
        if (sinceBefore) {
            before.merge(memory, bytes.getAsLong(), Long::sum);
        } else {
            changes.add(new Change(from, memory, bytes.getAsLong()));
        }
        changes.add(new Change(until, memory, -bytes.getAsLong()));
    }

    /** Completes the collection; nothing changes afterwards. */
    void putInOrder() {
        changes.sort(Comparator.comparingInt(Change::round));
    }

    /** Returns when each memory will be full. */
    Map<DeviceMemory, Forecast> forecasts(Iterable<DeviceMemory> memories, int rounds, int warmUp) {
        Map<DeviceMemory, RoundVector.Builder> builders = new HashMap<>();
        for (Change change : changes) {
            if (change.round() < rounds) {
                builders.computeIfAbsent(change.memory(), unused -> new RoundVector.Builder())
                        .add(change.round(), change.bytesPerBank());
            }
        }
        Map<DeviceMemory, Forecast> forecasts = new HashMap<>();
        for (DeviceMemory memory : memories) {
            RoundVector.Builder builder = builders.getOrDefault(memory, new RoundVector.Builder());
            forecasts.put(memory, forecast(memory, builder.build(rounds), warmUp));
        }
        return forecasts;
    }

    private Forecast forecast(DeviceMemory memory, RoundVector perBank, int warmUp) {
        if (unknown.contains(memory)) {
            return new Forecast.Unknown("the reports do not contain what a buffer reserves in each bank");
        }
        GrowthTrend course = GrowthTrend.of(perBank, warmUp);
        if (course.trend() != Trend.GROWING) {
            return new Forecast.Unknown(
                    "each close empties the banks, so what one round leaves does not add to the next");
        }
        Optional<MemoryCapacity> capacity = capacityOf(memory);
        if (capacity.isEmpty()) {
            return new Forecast.Unknown("the size of the memory was not reported");
        }
        long bytesPerBank = capacity.get().bytesPerBank();
        long taken = before.getOrDefault(memory, 0L) + perBank.total();
        long free = Math.max(0, bytesPerBank - taken);
        int counted = perBank.rounds() - warmUp;
        long growth = course.growth();
        long more = Math.multiplyHigh(free, counted) == 0 && free * counted >= 0
                ? free * counted / growth
                : free / growth * counted;
        return new Forecast.Full(more, bytesPerBank, free, growth, counted);
    }

    /** The latest mesh over the device decides. */
    private Optional<MemoryCapacity> capacityOf(DeviceMemory memory) {
        Optional<MemoryCapacity> latest = Optional.empty();
        for (MeshDescription mesh : history.meshes()) {
            if (mesh.devices().contains(memory.device()) && mesh.parent().isEmpty()) {
                latest = mesh.capacityOf(memory.type());
            }
        }
        return latest;
    }
}
