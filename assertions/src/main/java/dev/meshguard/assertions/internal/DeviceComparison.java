package dev.meshguard.assertions.internal;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.BufferGeneration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The memory usage of each device, compared with the usage of most devices.
 *
 * @param usages the usage of each device, by device
 * @param usual the most common usage; of two that are equally common, that of the lowest device
 * @param usualDevices the number of devices with that usage
 * @param busy the devices that may have a larger usage, because the source reports more for them than they hold
 * @param different the devices with another usage than expected, ascending
 */
public record DeviceComparison(
        SortedMap<Integer, Map<BufferType, Usage>> usages,
        Map<BufferType, Usage> usual,
        int usualDevices,
        SortedSet<Integer> busy,
        List<Integer> different) {

    /**
     * The usage of one type of memory by one device.
     *
     * @param allocated the number of allocated buffers
     * @param allocatedBytes their bytes
     * @param live the number of remaining buffers
     * @param liveBytes their bytes
     */
    public record Usage(long allocated, long allocatedBytes, long live, long liveBytes) {

        /** No usage. */
        public static final Usage NOTHING = new Usage(0, 0, 0, 0);

        Usage and(BufferGeneration buffer) {
            boolean isLive = buffer.isLive();
            return new Usage(
                    allocated + 1,
                    allocatedBytes + buffer.size(),
                    live + (isLive ? 1 : 0),
                    liveBytes + (isLive ? buffer.size() : 0));
        }

        boolean isAtLeast(Usage other) {
            return allocated >= other.allocated
                    && allocatedBytes >= other.allocatedBytes
                    && live >= other.live
                    && liveBytes >= other.liveBytes;
        }
    }

    /** Returns the usage of the devices of a history. */
    public static DeviceComparison of(AllocationHistory history) {
        SortedMap<Integer, Map<BufferType, Usage>> usages = new TreeMap<>();
        SortedSet<Integer> busy = new TreeSet<>();
        for (MeshDescription mesh : history.meshes()) {
            mesh.devices().forEach(device -> usages.put(device, new TreeMap<>()));
            if (mesh.busiestDevice() >= 0) {
                busy.add(mesh.busiestDevice());
            }
        }
        if (usages.isEmpty()) {
            history.devices().forEach(device -> usages.put(device, new TreeMap<>()));
            usages.remove(HistoryEvent.NO_DEVICE);
        }
        for (BufferGeneration buffer : history.generations()) {
            Map<BufferType, Usage> ofDevice = usages.get(buffer.device());
            if (ofDevice != null) {
                ofDevice.put(buffer.type(), in(ofDevice, buffer.type()).and(buffer));
            }
        }
        Map<Map<BufferType, Usage>, Integer> votes = votes(usages, busy);
        Map<BufferType, Usage> usual = votes.isEmpty() ? Map.of() : mostCommon(votes);
        List<Integer> different = new ArrayList<>();
        usages.forEach((device, done) -> {
            if (!(busy.contains(device) ? isAtLeast(done, usual) : done.equals(usual))) {
                different.add(device);
            }
        });
        return new DeviceComparison(usages, usual, votes.getOrDefault(usual, 0), busy, different);
    }

    /** Returns whether no device differs. */
    public boolean isTheSame() {
        return different.isEmpty();
    }

    /** Returns the usage of one type of memory. */
    public static Usage in(Map<BufferType, Usage> done, BufferType type) {
        return done.getOrDefault(type, Usage.NOTHING);
    }

    /**
     * A device that may have a larger usage has no vote; if it is the only one, there is nothing to compare it with.
     */
    private static Map<Map<BufferType, Usage>, Integer> votes(
            SortedMap<Integer, Map<BufferType, Usage>> usages, SortedSet<Integer> busy) {
        Map<Map<BufferType, Usage>, Integer> votes = new LinkedHashMap<>();
        usages.forEach((device, done) -> {
            if (!busy.contains(device)) {
                votes.merge(done, 1, Integer::sum);
            }
        });
        return votes;
    }

    private static Map<BufferType, Usage> mostCommon(Map<Map<BufferType, Usage>, Integer> votes) {
        int most = Collections.max(votes.values());
        return votes.entrySet().stream()
                .filter(entry -> entry.getValue() == most)
                .map(Map.Entry::getKey)
                .findFirst()
                .orElseThrow();
    }

    private static boolean isAtLeast(Map<BufferType, Usage> done, Map<BufferType, Usage> usual) {
        return usual.entrySet().stream()
                .allMatch(entry -> in(done, entry.getKey()).isAtLeast(entry.getValue()));
    }
}
