package dev.meshguard.mockito;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.IgnoredFreeReason;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Ownership;
import dev.meshguard.text.Quantities;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.internal.WeakIdentityMap;
import java.nio.Buffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The allocations of the mocks that report to one tracker.
 *
 * <p>It belongs to the tracker, so that the answers of different mocks share their allocations. It does not keep handles
 * reachable. Safe for use by several threads.
 */
final class MockAllocations {

    private static final long FIRST_ADDRESS = 0x1000;
    private static final long ALIGNMENT = 64;
    /** More than any device has. A larger size is invalid and must not make addresses negative. */
    private static final long MAX_SIZE_BYTES = 1L << 40;

    private final AllocationTracker tracker;
    /** Several of one handle, the latest last: a mock may return the same object for each call. */
    private final Map<Object, List<MockAllocation>> byValue = new HashMap<>();

    private final WeakIdentityMap<List<MockAllocation>> byHandle = new WeakIdentityMap<>();
    private final Map<Long, List<MockAllocation>> byAddress = new HashMap<>();
    private long nextAddress = FIRST_ADDRESS;

    private MockAllocations(AllocationTracker tracker) {
        this.tracker = tracker;
        tracker.sourceAttached("mocks");
    }

    static MockAllocations of(AllocationTracker tracker) {
        return tracker.attachment(MockAllocations.class, () -> new MockAllocations(tracker));
    }

    /** Returns an address that no other call has. */
    synchronized long newAddress(long size) {
        long address = nextAddress;
        long bytes = Math.min(Math.max(1, size), MAX_SIZE_BYTES);
        nextAddress = address + (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
        return address;
    }

    /** Reports the memory of an allocating call. */
    void allocate(
            AllocationDetails details,
            List<Integer> devices,
            BufferType type,
            long address,
            long size,
            @Nullable Object handle) {
        MemoryRequest request = tracker.request(details);
        for (int device : devices) {
            tracker.allocated(request, device, type, address, size, Ownership.UNKNOWN);
        }
        if (handle != null && !isValue(handle)) {
            tracker.handleReturned(request, handle);
        }
        remember(new MockAllocation(devices, type, address, details), handle);
    }

    /** Returns whether an object is a value of the JDK, such as a string, for which any equal object can be used. A buffer is none. */
    private static boolean isValue(Object handle) {
        return handle instanceof Comparable
                && !(handle instanceof Buffer)
                && handle.getClass().getClassLoader() == null;
    }

    private synchronized void remember(MockAllocation allocation, @Nullable Object handle) {
        if (handle != null) {
            List<MockAllocation> own = isValue(handle)
                    ? byValue.computeIfAbsent(handle, unused -> new ArrayList<>(1))
                    : byHandle.computeIfAbsent(handle, () -> new ArrayList<>(1));
            own.removeIf(before -> !before.isLive());
            own.add(allocation);
        }
        List<MockAllocation> there = byAddress.computeIfAbsent(allocation.address(), unused -> new ArrayList<>(1));
        there.removeIf(before -> !before.isLive() && before.hasSameAddressAs(allocation));
        there.add(allocation);
    }

    /** Returns whether an object is the handle of an allocation, for example a list of addresses that a mock has returned. */
    synchronized boolean isHandle(@Nullable Object freed) {
        return known(freed, Optional.empty()) != null;
    }

    /** Reports the free of a handle's memory; on all its devices, unless some are named. */
    synchronized void free(@Nullable Object handle, Optional<List<Integer>> devices, BufferType unknownType) {
        MockAllocation allocation = known(handle, devices);
        if (allocation == null) {
            freeUnknown(AllocationDetails.user().labelled(description(handle)), devices, unknownType, newAddress(0));
        } else {
            free(allocation, devices.orElse(allocation.devices()));
        }
    }

    /** Reports the close of a handle; a second close does nothing. */
    synchronized void close(Object handle) {
        MockAllocation allocation = known(handle, Optional.empty());
        if (allocation != null && allocation.isLive()) {
            free(allocation, allocation.devices());
        } else if (allocation != null) {
            ignore(allocation, allocation.devices());
        }
    }

    /** Reports the free of the memory that begins at an address. */
    synchronized void free(long address, Optional<List<Integer>> devices, Optional<BufferType> type, Signature method) {
        List<MockAllocation> candidates = candidates(address, devices, type);
        if (candidates.isEmpty()) {
            freeUnknown(AllocationDetails.user(), devices, type.orElse(BufferType.DRAM), address);
        } else if (candidates.stream().anyMatch(one -> !one.hasSameAddressAs(candidates.get(0)))) {
            lost(String.format(
                    Locale.ROOT,
                    "%s freed %s, which is allocated more than once: %s. Say which with onDeviceArgument(index) or"
                            + " ofType(type)",
                    method,
                    Quantities.address(address),
                    descriptionOf(candidates)));
        } else {
            MockAllocation allocation = candidates.get(0);
            free(allocation, devices.orElse(allocation.devices()));
        }
    }

    /** Reports to the tracker that a call could not be reported. */
    void lost(String reason) {
        tracker.reportsLost(1, reason);
    }

    /** Returns the latest allocation of a handle that is live there; without any, the last one, so that a second free is reported as one. */
    private @Nullable MockAllocation known(@Nullable Object handle, Optional<List<Integer>> devices) {
        if (handle == null) {
            return null;
        }
        List<MockAllocation> own = isValue(handle) ? byValue.get(handle) : byHandle.get(handle);
        if (own == null) {
            return null;
        }
        for (int i = own.size() - 1; i >= 0; i--) {
            MockAllocation allocation = own.get(i);
            if (devices.orElse(allocation.devices()).stream().anyMatch(allocation::isLiveOn)) {
                return allocation;
            }
        }
        return own.get(own.size() - 1);
    }

    /**
     * Returns the live allocations at an address. Without any, returns the last one there, so that a second free is reported as
     * one.
     */
    private List<MockAllocation> candidates(long address, Optional<List<Integer>> devices, Optional<BufferType> type) {
        List<MockAllocation> there = byAddress.getOrDefault(address, List.of()).stream()
                .filter(allocation -> devices.map(allocation::isOnAny).orElse(true))
                .filter(allocation ->
                        type.map(wanted -> wanted == allocation.type()).orElse(true))
                .toList();
        List<MockAllocation> live =
                there.stream().filter(MockAllocation::isLive).toList();
        return live.isEmpty() && !there.isEmpty() ? there.subList(there.size() - 1, there.size()) : live;
    }

    private void free(MockAllocation allocation, List<Integer> devices) {
        if (isReused(allocation, devices)) {
            ignore(allocation, devices);
            return;
        }
        allocation.end(devices);
        MemoryRequest release = tracker.release(allocation.release());
        for (int device : devices) {
            tracker.freed(release, device, allocation.type(), allocation.address(), Ownership.UNKNOWN);
        }
    }

    /** Returns whether the address was reused, so that a second free is not attributed to the new owner. */
    private boolean isReused(MockAllocation allocation, List<Integer> devices) {
        return devices.stream().noneMatch(allocation::isLiveOn)
                && byAddress.getOrDefault(allocation.address(), List.of()).stream()
                        .filter(other -> other.type() == allocation.type())
                        .anyMatch(other -> devices.stream().anyMatch(other::isLiveOn));
    }

    private void ignore(MockAllocation allocation, List<Integer> devices) {
        MemoryRequest release = tracker.release(allocation.release());
        for (int device : devices) {
            tracker.freeIgnored(
                    release, device, allocation.type(), allocation.address(), IgnoredFreeReason.ALREADY_FREED);
        }
    }

    private void freeUnknown(
            AllocationDetails details, Optional<List<Integer>> devices, BufferType type, long address) {
        MemoryRequest release = tracker.release(details);
        for (int device : devices.orElse(List.of(0))) {
            tracker.freed(release, device, type, address, Ownership.UNKNOWN);
        }
    }

    /** Returns only the class: no method of the user's object is called. */
    private static String description(@Nullable Object handle) {
        return handle == null
                ? "null"
                : String.format(Locale.ROOT, "a %s that no mock has allocated", nameOf(handle.getClass()));
    }

    private static String nameOf(Class<?> type) {
        return type.getSimpleName().replaceAll("\\$MockitoMock\\$.*", "");
    }

    private static String descriptionOf(List<MockAllocation> candidates) {
        return String.join(
                " and ",
                candidates.stream()
                        .map(allocation -> allocation.type() + " on "
                                + (allocation.devices().size() == 1 ? "device " : "devices ")
                                + String.join(
                                        ", ",
                                        allocation.devices().stream()
                                                .map(String::valueOf)
                                                .toList()))
                        .toList());
    }
}
