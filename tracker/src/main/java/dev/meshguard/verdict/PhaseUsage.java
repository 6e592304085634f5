package dev.meshguard.verdict;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.Phase;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The memory that was allocated and freed while a test was in one phase.
 *
 * <p>Returning to a phase starts another usage. A generation counts with its first reported size, in bytes;
 * if it is resized, more bytes are allocated or some are freed.
 *
 * @param phase the phase
 * @param flows the changes in each memory of each device that held anything, by device and type
 * @param liveBytes bytes on all devices at the end of the phase
 * @param peakBytes the most bytes on all devices at any moment of the phase
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record PhaseUsage(Phase phase, SortedMap<DeviceMemory, Flow> flows, long liveBytes, long peakBytes) {

    private static final Comparator<DeviceMemory> BY_DEVICE =
            Comparator.comparingInt(DeviceMemory::device).thenComparing(DeviceMemory::type);

    /**
     * The changes in one memory.
     *
     * @param allocatedBytes bytes of the generations that began, and by which others grew
     * @param freedBytes bytes of the generations that ended, and by which others shrank
     * @param liveBytes bytes of the generations that were live at the end
     * @param liveBuffers how many were live at the end
     */
    public record Flow(long allocatedBytes, long freedBytes, long liveBytes, long liveBuffers) {

        /** No change and no live buffer. */
        public static final Flow NOTHING = new Flow(0, 0, 0, 0);
    }

    /** Creates a usage with its own copy of the flows, ordered by device and type. */
    public PhaseUsage {
        flows = flows.isEmpty() ? Collections.emptySortedMap() : Collections.unmodifiableSortedMap(byDevice(flows));
    }

    private static SortedMap<DeviceMemory, Flow> byDevice(Map<DeviceMemory, Flow> flows) {
        SortedMap<DeviceMemory, Flow> byDevice = new TreeMap<>(BY_DEVICE);
        byDevice.putAll(flows);
        return byDevice;
    }

    /** Returns the changes in one memory of one device. */
    public Flow flow(int device, BufferType type) {
        return flows.getOrDefault(new DeviceMemory(device, type), Flow.NOTHING);
    }

    /** Returns the types that any device held or freed, in order. */
    public List<BufferType> types() {
        List<BufferType> types = new ArrayList<>();
        for (Map.Entry<DeviceMemory, Flow> entry : flows.entrySet()) {
            if (!types.contains(entry.getKey().type())) {
                types.add(entry.getKey().type());
            }
        }
        Collections.sort(types);
        return types;
    }
}
