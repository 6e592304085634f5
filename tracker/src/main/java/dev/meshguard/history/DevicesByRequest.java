package dev.meshguard.history;

import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.MemoryRequest;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The devices on which each request reported something; frees and allocations on the same devices belong together.
 *
 * <p>It is only used where frees and reports of one address match in several ways.
 */
final class DevicesByRequest {

    private final List<HistoryEvent> events;
    private @Nullable IdentityHashMap<MemoryRequest, Set<Integer>> devices;
    /** A set of each device by itself, which most requests share. */
    private final Map<Integer, Set<Integer>> single = new HashMap<>();

    DevicesByRequest(List<HistoryEvent> events) {
        this.events = events;
    }

    /**
     * Returns whether two requests reported on the same devices and neither is anonymous.
     *
     * @param one a request that reported on some device
     * @param other a request that reported on that device too
     */
    boolean areAlike(MemoryRequest one, MemoryRequest other) {
        if (one.hasOneReport() && other.hasOneReport()) {
            return true;
        }
        return !one.isAnonymous() && !other.isAnonymous() && of(one).equals(of(other));
    }

    /** Returns whether a request reported on a device and is not anonymous. */
    boolean include(MemoryRequest request, int device) {
        return !request.isAnonymous() && of(request).contains(device);
    }

    private Set<Integer> of(MemoryRequest request) {
        if (devices == null) {
            devices = new IdentityHashMap<>(events.size());
            for (HistoryEvent event : events) {
                if (event instanceof HistoryEvent.Allocated report) {
                    add(report.request(), report.device());
                } else if (event instanceof HistoryEvent.Freed report) {
                    add(report.request(), report.device());
                }
            }
        }
        return devices.getOrDefault(request, Set.of());
    }

    private void add(MemoryRequest request, int device) {
        if (devices == null || request.isAnonymous()) {
            return;
        }
        // Most requests report on one device, so the second report creates the growable set.
        Set<Integer> known = devices.putIfAbsent(request, single.computeIfAbsent(device, one -> Set.of(one)));
        if (known != null && !known.contains(device)) {
            known = known.size() == 1 ? new HashSet<>(known) : known;
            known.add(device);
            devices.put(request, known);
        }
    }
}
