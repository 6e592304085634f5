package dev.meshguard.assertions.internal;

import dev.meshguard.event.BufferType;
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
 * @param deeds the usage of each device, by device
 * @param usual the most common usage; of two that are equally common, that of the lowest device
 * @param usualDevices the number of devices with that usage
 * @param busy the devices that may have a larger usage, because the source reports more for them than they hold
 * @param different the devices with another usage than expected, ascending
 */
public record DeviceComparison(
        SortedMap<Integer, Map<BufferType, Deeds>> deeds,
        Map<BufferType, Deeds> usual,
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
    public record Deeds(long allocated, long allocatedBytes, long live, long liveBytes) {

        /** No usage. */
        public static final Deeds NOTHING = new Deeds(0, 0, 0, 0);

        Deeds and(BufferGeneration buffer) {
            boolean isLive = buffer.isLive();
            return new Deeds(
                    allocated + 1,
                    allocatedBytes + buffer.size(),
                    live + (isLive ? 1 : 0),
                    liveBytes + (isLive ? buffer.size() : 0));
        }

        boolean isAtLeast(Deeds other) {
            return allocated >= other.allocated
                    && allocatedBytes >= other.allocatedBytes
                    && live >= other.live
                    && liveBytes >= other.liveBytes;
        }
    }

    /** Returns the usage of the devices of a history. */
    public static DeviceComparison of(AllocationHistory history) {
        SortedMap<Integer, Map<BufferType, Deeds>> deeds = new TreeMap<>();
        SortedSet<Integer> busy = new TreeSet<>();
        for (MeshDescription mesh : history.meshes()) {
            mesh.devices().forEach(device -> deeds.put(device, new TreeMap<>()));
            if (mesh.busiestDevice() >= 0) {
                busy.add(mesh.busiestDevice());
            }
        }
        if (deeds.isEmpty()) {
            history.devices().forEach(device -> deeds.put(device, new TreeMap<>()));
        }
        for (BufferGeneration buffer : history.generations()) {
            Map<BufferType, Deeds> ofDevice = deeds.get(buffer.device());
            if (ofDevice != null) {
                ofDevice.put(buffer.type(), in(ofDevice, buffer.type()).and(buffer));
            }
        }
        Map<Map<BufferType, Deeds>, Integer> votes = votes(deeds, busy);
        Map<BufferType, Deeds> usual = votes.isEmpty() ? Map.of() : mostCommon(votes);
        List<Integer> different = new ArrayList<>();
        deeds.forEach((device, done) -> {
            if (!(busy.contains(device) ? isAtLeast(done, usual) : done.equals(usual))) {
                different.add(device);
            }
        });
        return new DeviceComparison(deeds, usual, votes.getOrDefault(usual, 0), busy, different);
    }

    /** Returns whether no device differs. */
    public boolean isTheSame() {
        return different.isEmpty();
    }

    /** Returns the usage of one type of memory. */
    public static Deeds in(Map<BufferType, Deeds> done, BufferType type) {
        return done.getOrDefault(type, Deeds.NOTHING);
    }

    /**
     * A device that may have a larger usage has no vote; if it is the only one, there is nothing to compare it with.
     */
    private static Map<Map<BufferType, Deeds>, Integer> votes(
            SortedMap<Integer, Map<BufferType, Deeds>> deeds, SortedSet<Integer> busy) {
        Map<Map<BufferType, Deeds>, Integer> votes = new LinkedHashMap<>();
        deeds.forEach((device, done) -> {
            if (!busy.contains(device)) {
                votes.merge(done, 1, Integer::sum);
            }
        });
        return votes;
    }

    private static Map<BufferType, Deeds> mostCommon(Map<Map<BufferType, Deeds>, Integer> votes) {
        int most = Collections.max(votes.values());
        return votes.entrySet().stream()
                .filter(entry -> entry.getValue() == most)
                .map(Map.Entry::getKey)
                .findFirst()
                .orElseThrow();
    }

    private static boolean isAtLeast(Map<BufferType, Deeds> done, Map<BufferType, Deeds> usual) {
        return usual.entrySet().stream()
                .allMatch(entry -> in(done, entry.getKey()).isAtLeast(entry.getValue()));
    }
}
