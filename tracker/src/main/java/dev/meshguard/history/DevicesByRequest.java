package dev.meshguard.history;

import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.MemoryRequest;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The devices on which each request reported something; frees and allocations on the same devices belong together.
 *
 * <p>It is only used where frees and reports of one address match in several ways.
 */
final class DevicesByRequest {

    private final List<HistoryEvent> events;
    private @Nullable IdentityHashMap<MemoryRequest, Set<Integer>> devices;

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
                if (event instanceof HistoryEvent.OfMemory report
                        && !(event instanceof HistoryEvent.FreeIgnored)
                        && !report.request().isAnonymous()) {
                    devices.merge(report.request(), Set.of(report.device()), DevicesByRequest::union);
                }
            }
        }
        return devices.getOrDefault(request, Set.of());
    }

    /** Most requests report on one device, and a set of one is small. */
    private static Set<Integer> union(Set<Integer> known, Set<Integer> more) {
        return known.containsAll(more)
                ? known
                : Stream.concat(known.stream(), more.stream()).collect(Collectors.toUnmodifiableSet());
    }
}
