package dev.meshguard.event;

import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The addresses that an independent count of the same memory lists as allocated at one moment.
 *
 * <p>A witness reports addresses, not bytes: an allocator reserves whole pages in every bank and a report carries the
 * plain size, so the two never agree in bytes. A snapshot covers {@link BufferKind#BUFFER buffers} only, because
 * circular buffers are in no allocator.
 *
 * <pre>{@code
 * WitnessSnapshot.of(mesh, Moment.CLOSE_BEGUN)
 *         .ofAllocator(AllocatorId.MESH)
 *         .region(0, BufferType.DRAM, 0x1000, 0x2000);
 * }</pre>
 *
 * @param mesh the id of the mesh that was read; for a device's own allocator, that of the mesh whose close read it
 * @param moment the moment of the snapshot
 * @param allocator the allocator that was read; without one the snapshot joins all allocators that serve the mesh
 * @param allocated the allocated addresses, ascending, by device and memory; a memory that is not covered is left out
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record WitnessSnapshot(
        int mesh, Moment moment, Optional<AllocatorId> allocator, Map<Integer, Map<BufferType, List<Long>>> allocated) {

    /** The moments of a close at which a snapshot has different meanings. */
    public enum Moment {
        /** Close was called and has done nothing yet: the code under test did not free what is allocated now. */
        CLOSE_BEGUN,
        /** The runtime freed its own buffers and is about to reset its allocators. */
        BEFORE_WIPE,
        /** The allocators are reset: they list every address as free, those of real leaks too. */
        AFTER_WIPE
    }

    /** The state of one address in a snapshot. */
    public enum AddressState {
        /** A buffer starts at the address. */
        ALLOCATED,
        /** The snapshot covers the memory and no buffer starts at the address. */
        FREE,
        /** The snapshot does not cover the memory. */
        UNKNOWN
    }

    /** Creates a snapshot with its own copy of the addresses, ascending and each once. */
    public WitnessSnapshot {
        SortedMap<Integer, Map<BufferType, List<Long>>> copy = new TreeMap<>();
        allocated.forEach((device, types) -> {
            Map<BufferType, List<Long>> ascending = new EnumMap<>(BufferType.class);
            types.forEach((type, addresses) -> ascending.put(type, ascending(addresses)));
            copy.put(device, Collections.unmodifiableMap(ascending));
        });
        allocated = Collections.unmodifiableSortedMap(copy);
    }

    /** Devices with the same addresses share one list, which may be long. */
    private static List<Long> ascending(List<Long> addresses) {
        boolean isAscending = true;
        long before = Long.MIN_VALUE;
        for (long address : addresses) {
            isAscending &= address > before;
            before = address;
        }
        return isAscending
                ? List.copyOf(addresses)
                : addresses.stream().sorted().distinct().toList();
    }

    /** Returns a snapshot of the mesh with the given id that covers no memory yet. */
    public static WitnessSnapshot of(int mesh, Moment moment) {
        return new WitnessSnapshot(mesh, moment, Optional.empty(), Map.of());
    }

    /** Returns this snapshot as one of one allocator only. It is then evidence for the buffers of that allocator only. */
    public WitnessSnapshot ofAllocator(AllocatorId read) {
        return new WitnessSnapshot(mesh, moment, Optional.of(read), allocated);
    }

    /** Returns this snapshot with a memory of one device. Addresses of a memory that is added twice are joined. */
    public WitnessSnapshot region(int device, BufferType type, long... addresses) {
        return region(List.of(device), type, addresses);
    }

    /** Returns this snapshot with a memory of several devices in which the same addresses are allocated. */
    public WitnessSnapshot region(List<Integer> ofDevices, BufferType type, long... addresses) {
        List<Long> own = ascending(Arrays.stream(addresses).boxed().toList());
        Map<Integer, Map<BufferType, List<Long>>> all = new HashMap<>(allocated);
        for (int device : ofDevices) {
            Map<BufferType, List<Long>> types = new HashMap<>(all.getOrDefault(device, Map.of()));
            types.merge(
                    type,
                    own,
                    (some, more) -> Stream.concat(some.stream(), more.stream()).toList());
            all.put(device, types);
        }
        return new WitnessSnapshot(mesh, moment, allocator, all);
    }

    /** Returns the devices that the snapshot covers, ascending. */
    public List<Integer> devices() {
        return List.copyOf(allocated.keySet());
    }

    /** Returns the allocated addresses, ascending; also empty where the memory is not covered. */
    public List<Long> allocatedAddresses(int device, BufferType type) {
        return allocated.getOrDefault(device, Map.of()).getOrDefault(type, List.of());
    }

    /** Returns whether nothing is allocated in any covered memory. */
    public boolean isEmpty() {
        return allocated.values().stream()
                .flatMap(types -> types.values().stream())
                .allMatch(List::isEmpty);
    }

    /** Returns the state of a buffer that starts at the given address. */
    public AddressState stateOf(int device, BufferType type, long address) {
        if (!allocated.getOrDefault(device, Map.of()).containsKey(type)) {
            return AddressState.UNKNOWN;
        }
        return Collections.binarySearch(allocatedAddresses(device, type), address) >= 0
                ? AddressState.ALLOCATED
                : AddressState.FREE;
    }
}
