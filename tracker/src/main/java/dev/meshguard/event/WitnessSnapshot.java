package dev.meshguard.event;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
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

    private final int mesh;
    private final Moment moment;
    private final @Nullable AllocatorId allocator;
    private final List<Integer> devices;
    private final List<Region> regions;

    /** The same memory of some devices, in which the same addresses are allocated. */
    private static final class Region {
        private final List<Integer> devices;
        private final BufferType type;
        /** Ascending. */
        private final long[] allocated;

        private Region(List<Integer> devices, BufferType type, long[] allocated) {
            this.devices = devices;
            this.type = type;
            this.allocated = allocated;
        }

        private boolean covers(int device, BufferType ofType) {
            return type == ofType && devices.contains(device);
        }
    }

    private WitnessSnapshot(Builder builder) {
        this.mesh = builder.mesh;
        this.moment = builder.moment;
        this.allocator = builder.allocator;
        this.regions = List.copyOf(builder.regions);
        TreeSet<Integer> covered = new TreeSet<>();
        regions.forEach(region -> covered.addAll(region.devices));
        this.devices = List.copyOf(covered);
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
        return regions.stream()
                .filter(region -> region.covers(device, type))
                .flatMapToLong(region -> Arrays.stream(region.allocated))
                .sorted()
                .distinct()
                .boxed()
                .toList();
    }

    /** Returns whether nothing is allocated in any covered memory. */
    public boolean isEmpty() {
        return regions.stream().allMatch(region -> region.allocated.length == 0);
    }

    /** Returns the state of a buffer that starts at the given address. */
    public AddressState stateOf(int device, BufferType type, long address) {
        AddressState state = AddressState.UNKNOWN;
        for (Region region : regions) {
            if (region.covers(device, type)) {
                if (Arrays.binarySearch(region.allocated, address) >= 0) {
                    return AddressState.ALLOCATED;
                }
                state = AddressState.FREE;
            }
        }
        return state;
    }

    /** Collects a snapshot; not safe for use by several threads. */
    @API(status = Status.EXPERIMENTAL, since = "0.1")
    public static final class Builder {

        private final int mesh;
        private final Moment moment;
        private @Nullable AllocatorId allocator;

        private final List<Region> regions = new ArrayList<>();

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
            return region(List.of(device), type, addresses);
        }

        /** Adds one region of several devices in which the same addresses are allocated. */
        public Builder region(List<Integer> ofDevices, BufferType type, long... addresses) {
            long[] ascending = addresses.clone();
            Arrays.sort(ascending);
            regions.add(new Region(List.copyOf(ofDevices), type, ascending));
            return this;
        }

        /** Returns the snapshot. */
        public WitnessSnapshot build() {
            return new WitnessSnapshot(this);
        }
    }
}
