package dev.meshguard.report.internal;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.SourceVocabulary;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.text.Quantities;
import dev.meshguard.verdict.growth.MemoryGrowth;
import java.util.List;
import java.util.stream.Stream;

/** Formats the names of several devices. */
public final class DeviceNames {

    private DeviceNames() {}

    /** Returns the name of a source for its memory, or else {@code DRAM of devices 0-7}, or {@code memory of no device}. */
    public static String memory(Alike<MemoryGrowth> growth) {
        return growth.first()
                .units()
                .flatMap(SourceVocabulary::memory)
                .orElseGet(() -> memory(growth.first().memory().type(), growth.devices()));
    }

    /** Returns {@code DRAM of devices 0-7}, or {@code memory of no device}. */
    public static String memory(BufferType type, List<Integer> devices) {
        boolean isOfNone = devices.equals(List.of(HistoryEvent.NO_DEVICE));
        return (isOfNone ? "memory" : type) + " of " + of(devices);
    }

    /** Returns {@code  on devices 0-7} of the devices of buffers, or nothing if there is no buffer. */
    public static String on(Stream<BufferGeneration> buffers) {
        List<Integer> devices =
                buffers.map(BufferGeneration::device).distinct().sorted().toList();
        return devices.isEmpty() ? "" : " on " + of(devices);
    }

    /**
     * Returns {@code device 3}, {@code devices 0-7}, {@code devices 0, 2-4} or {@code no device}, of ascending numbers; the last is of
     * {@link HistoryEvent#NO_DEVICE}, which is less than all others.
     */
    public static String of(List<Integer> devices) {
        if (!devices.isEmpty() && devices.get(0) == HistoryEvent.NO_DEVICE) {
            String none = HistoryEvent.nameOfDevice(HistoryEvent.NO_DEVICE);
            return devices.size() == 1 ? none : none + " and " + of(devices.subList(1, devices.size()));
        }
        return (devices.size() == 1 ? "device " : "devices ") + Quantities.ranges(devices, ", ");
    }
}
