package dev.meshguard.event;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;
import org.jspecify.annotations.Nullable;

/**
 * The addresses that an independent count of the same memory lists as allocated at one moment.
 *
 * <p>A witness reports addresses, not bytes: an allocator reserves whole pages in every bank and a report carries the
 * plain size, so the two never agree in bytes. A snapshot covers {@link BufferKind#BUFFER buffers} only, because
 * circular buffers are in no allocator.
 *
 * <p>Immutable and safe for use by several threads.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class WitnessSnapshot {

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

    private static final int TYPES = BufferType.values().length;

    private final int mesh;
    private final Moment moment;
    private final @Nullable AllocatorId allocator;
    private final List<Integer> devices;
    /** Ascending addresses by device, then by type; null where a memory is not covered. */
    private final Map<Integer, long[][]> allocated = new HashMap<>();

    private WitnessSnapshot(Builder builder) {
        this.mesh = builder.mesh;
        this.moment = builder.moment;
        this.allocator = builder.allocator;
        this.devices = List.copyOf(builder.allocated.keySet());
        builder.allocated.forEach((device, byType) -> allocated.put(device, byType.clone()));
    }

    /**
     * Starts a snapshot of the mesh with the given id, which joins all allocators that serve it unless one is named.
     */
    public static Builder of(int mesh, Moment moment) {
        return new Builder(mesh, moment);
    }

    /**
     * Returns the id of the mesh that was read; for a device's own allocator, that of the mesh whose close read it.
     */
    public int mesh() {
        return mesh;
    }

    /** Returns the allocator that was read; without one the snapshot joins all allocators that serve the mesh. */
    public Optional<AllocatorId> allocator() {
        return Optional.ofNullable(allocator);
    }

    /** Returns the moment of the snapshot. */
    public Moment moment() {
        return moment;
    }

    /** Returns the devices that the snapshot covers, ascending. */
    public List<Integer> devices() {
        return devices;
    }

    /** Returns the allocated addresses, ascending; also empty where the memory is not covered. */
    public List<Long> allocatedAddresses(int device, BufferType type) {
        long[] addresses = addresses(device, type);
        return addresses == null || addresses.length == 0
                ? List.of()
                : Arrays.stream(addresses).boxed().toList();
    }

    /** Returns whether nothing is allocated in any covered memory. */
    public boolean isEmpty() {
        return allocated.values().stream()
                .flatMap(Arrays::stream)
                .allMatch(addresses -> addresses == null || addresses.length == 0);
    }

    /** Returns the state of a buffer that starts at the given address. */
    public AddressState stateOf(int device, BufferType type, long address) {
        long[] addresses = addresses(device, type);
        if (addresses == null) {
            return AddressState.UNKNOWN;
        }
        return Arrays.binarySearch(addresses, address) >= 0 ? AddressState.ALLOCATED : AddressState.FREE;
    }

    private long @Nullable [] addresses(int device, BufferType type) {
        long[][] byType = allocated.get(device);
        return byType == null ? null : byType[type.ordinal()];
    }

    /** Collects a snapshot; not safe for use by several threads. */
    @API(status = Status.EXPERIMENTAL, since = "0.1")
    public static final class Builder {

        private final int mesh;
        private final Moment moment;
        private @Nullable AllocatorId allocator;

        private final SortedMap<Integer, long[][]> allocated = new TreeMap<>();

        private Builder(int mesh, Moment moment) {
            this.mesh = mesh;
            this.moment = moment;
        }

        /** Restricts the snapshot to one allocator. It is then evidence for the buffers of that allocator only. */
        public Builder ofAllocator(AllocatorId read) {
            allocator = read;
            return this;
        }

        /** Adds one region of one device. Addresses of a region that is added twice are joined. */
        public Builder region(int device, BufferType type, long... addresses) {
            join(device, type, sorted(addresses));
            return this;
        }

        /** Adds one region of several devices in which the same addresses are allocated. */
        public Builder region(List<Integer> devices, BufferType type, long... addresses) {
            long[] once = sorted(addresses);
            devices.forEach(device -> join(device, type, once));
            return this;
        }

        private void join(int device, BufferType type, long[] addresses) {
            long[][] byType = allocated.computeIfAbsent(device, unused -> new long[TYPES][]);
            long[] before = byType[type.ordinal()];
            byType[type.ordinal()] = before == null
                    ? addresses
                    : sorted(LongStream.concat(Arrays.stream(before), Arrays.stream(addresses))
                            .toArray());
        }

        private static long[] sorted(long[] addresses) {
            return addresses.length < 2
                    ? addresses.clone()
                    : Arrays.stream(addresses).sorted().distinct().toArray();
        }

        /** Returns the snapshot. */
        public WitnessSnapshot build() {
            return new WitnessSnapshot(this);
        }
    }
}
