package dev.meshguard.reproduce.minimize;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.event.WitnessSnapshot;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/** Creates changed copies of events. */
final class HistoryEditor {

    /** Decides whether an address of a snapshot stays in it. */
    @FunctionalInterface
    interface AddressFilter {
        boolean stays(int device, BufferType type, long address);
    }

    private HistoryEditor() {}

    /** Returns the request of an event, if it has one. */
    static Optional<MemoryRequest> requestOf(HistoryEvent event) {
        if (event instanceof HistoryEvent.Allocated e) {
            return Optional.of(e.request());
        } else if (event instanceof HistoryEvent.Freed e) {
            return Optional.of(e.request());
        } else if (event instanceof HistoryEvent.FreeIgnored e) {
            return Optional.of(e.request());
        } else if (event instanceof HistoryEvent.HandleTraced e) {
            return Optional.of(e.request());
        } else if (event instanceof HistoryEvent.BufferCaptured e) {
            return Optional.of(e.request());
        }
        return Optional.empty();
    }

    /** Returns an event with another request; an event without one is returned unchanged. */
    static HistoryEvent requested(HistoryEvent event, MemoryRequest request) {
        if (event instanceof HistoryEvent.Allocated e) {
            return new HistoryEvent.Allocated(
                    e.number(), request, e.device(), e.type(), e.address(), e.size(), e.ownership());
        } else if (event instanceof HistoryEvent.Freed e) {
            return new HistoryEvent.Freed(e.number(), request, e.device(), e.type(), e.address(), e.ownership());
        } else if (event instanceof HistoryEvent.FreeIgnored e) {
            return new HistoryEvent.FreeIgnored(e.number(), request, e.device(), e.type(), e.address(), e.reason());
        } else if (event instanceof HistoryEvent.HandleTraced e) {
            return new HistoryEvent.HandleTraced(e.number(), request, e.reachability());
        } else if (event instanceof HistoryEvent.BufferCaptured e) {
            return new HistoryEvent.BufferCaptured(e.number(), e.trace(), request);
        }
        return event;
    }

    /** Returns an event without some devices, or empty if it names only these. */
    static Optional<HistoryEvent> without(Set<Integer> devices, HistoryEvent event) {
        if (event instanceof HistoryEvent.Allocated e) {
            return unless(devices.contains(e.device()), event);
        } else if (event instanceof HistoryEvent.Freed e) {
            return unless(devices.contains(e.device()), event);
        } else if (event instanceof HistoryEvent.FreeIgnored e) {
            return unless(devices.contains(e.device()), event);
        } else if (event instanceof HistoryEvent.DeviceOpened e) {
            return unless(devices.contains(e.device()), event);
        } else if (event instanceof HistoryEvent.DeviceClosed e) {
            return unless(devices.contains(e.device()), event);
        } else if (event instanceof HistoryEvent.MeshOpened e) {
            return Optional.of(new HistoryEvent.MeshOpened(e.number(), e.at(), without(devices, e.mesh())));
        } else if (event instanceof HistoryEvent.Witnessed e) {
            return Optional.of(keeping(e, devices, (device, type, address) -> true));
        } else if (event instanceof HistoryEvent.CanaryPlanted e) {
            return some(rest(e.devices(), devices), rest -> new HistoryEvent.CanaryPlanted(e.number(), e.mesh(), rest));
        } else if (event instanceof HistoryEvent.CanarySeen e) {
            return some(rest(e.devices(), devices), rest -> new HistoryEvent.CanarySeen(e.number(), e.mesh(), rest));
        } else if (event instanceof HistoryEvent.CanaryFreed e) {
            return some(rest(e.devices(), devices), rest -> new HistoryEvent.CanaryFreed(e.number(), e.mesh(), rest));
        }
        return Optional.of(event);
    }

    /** Returns a snapshot with fewer devices and addresses. */
    static HistoryEvent keeping(HistoryEvent.Witnessed event, Set<Integer> withoutDevices, AddressFilter taken) {
        WitnessSnapshot reading = event.snapshot();
        WitnessSnapshot.Builder rest = WitnessSnapshot.of(reading.mesh(), reading.moment());
        reading.allocator().ifPresent(rest::ofAllocator);
        for (int device : reading.devices()) {
            if (!withoutDevices.contains(device)) {
                for (BufferType type : BufferType.values()) {
                    if (reading.stateOf(device, type, 0) != WitnessSnapshot.AddressState.UNKNOWN) {
                        rest.region(
                                device,
                                type,
                                reading.allocatedAddresses(device, type).stream()
                                        .mapToLong(Long::longValue)
                                        .filter(address -> taken.stays(device, type, address))
                                        .toArray());
                    }
                }
            }
        }
        return new HistoryEvent.Witnessed(event.number(), rest.build());
    }

    private static MeshDescription without(Set<Integer> devices, MeshDescription mesh) {
        return new MeshDescription(
                mesh.id(),
                mesh.name(),
                rest(mesh.devices(), devices),
                devices.contains(mesh.busiestDevice()) ? -1 : mesh.busiestDevice(),
                mesh.parent(),
                mesh.capacities());
    }

    private static List<Integer> rest(List<Integer> all, Set<Integer> without) {
        return all.stream().filter(device -> !without.contains(device)).toList();
    }

    private static Optional<HistoryEvent> some(List<Integer> devices, Function<List<Integer>, HistoryEvent> event) {
        return devices.isEmpty() ? Optional.empty() : Optional.of(event.apply(devices));
    }

    private static Optional<HistoryEvent> unless(boolean isGone, HistoryEvent event) {
        return isGone ? Optional.empty() : Optional.of(event);
    }
}
