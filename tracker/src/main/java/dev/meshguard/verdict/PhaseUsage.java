package dev.meshguard.verdict;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.Phase;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * What came and went while a test was in one phase.
 *
 * <p>A phase that is gone back to is a stretch of its own. Sizes are the first reported size of each life, in bytes.
 *
 * @param phase the phase
 * @param flows what happened to each memory of each device that held anything, by device and type
 * @param liveBytes bytes on all devices when the stretch ended
 * @param peakBytes the most bytes on all devices at any moment of the stretch
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record PhaseUsage(Phase phase, SortedMap<Place, Flow> flows, long liveBytes, long peakBytes) {

    /**
     * One memory of one device.
     *
     * @param device the device id
     * @param type the memory
     */
    public record Place(int device, BufferType type) implements Comparable<Place> {
        @Override
        public int compareTo(Place other) {
            int byDevice = Integer.compare(device, other.device);
            return byDevice != 0 ? byDevice : type.compareTo(other.type);
        }
    }

    /**
     * What came and went in one memory.
     *
     * @param allocatedBytes bytes of the lives that began
     * @param freedBytes bytes of the lives that ended
     * @param liveBytes bytes of the lives that went on at the end
     * @param liveBuffers how many went on at the end
     */
    public record Flow(long allocatedBytes, long freedBytes, long liveBytes, long liveBuffers) {

        /** Nothing there. */
        public static final Flow NOTHING = new Flow(0, 0, 0, 0);
    }

    /** Creates a stretch with its own copy of the flows. */
    public PhaseUsage {
        flows = flows.isEmpty()
                ? Collections.emptySortedMap()
                : Collections.unmodifiableSortedMap(new TreeMap<>(flows));
    }

    /** Returns what happened to one memory of one device. */
    public Flow flow(int device, BufferType type) {
        return flows.getOrDefault(new Place(device, type), Flow.NOTHING);
    }

    /** Returns whether any life ended in the stretch. */
    public boolean freedAnything() {
        return flows.values().stream().anyMatch(flow -> flow.freedBytes() > 0);
    }

    /** Returns whether any life began or ended in the stretch. */
    public boolean changedAnything() {
        return flows.values().stream().anyMatch(flow -> flow.allocatedBytes() > 0 || flow.freedBytes() > 0);
    }

    /** Returns the types that any device held or gave back, in order. */
    public List<BufferType> types() {
        List<BufferType> types = new ArrayList<>();
        for (Map.Entry<Place, Flow> entry : flows.entrySet()) {
            if (!types.contains(entry.getKey().type())) {
                types.add(entry.getKey().type());
            }
        }
        Collections.sort(types);
        return types;
    }
}
