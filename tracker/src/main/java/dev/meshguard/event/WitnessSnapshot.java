package dev.meshguard.event;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
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

    private static final long[] NONE = {};
    private static final int TYPES = BufferType.values().length;

    private final int mesh;
    private final Moment moment;
    private final @Nullable AllocatorId allocator;
    /** Ascending. */
    private final List<Integer> devices;
    /**
     * Addresses by index of the device, or one row for all devices, then by type; null where a memory is not covered.
     */
    private final long[] @Nullable [][] allocated;

    private WitnessSnapshot(
            int mesh,
            Moment moment,
            @Nullable AllocatorId allocator,
            List<Integer> devices,
            long[] @Nullable [][] allocated) {
        this.mesh = mesh;
        this.moment = moment;
        this.allocator = allocator;
        this.devices = devices;
        this.allocated = allocated;
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
        for (long[][] ofDevice : allocated) {
            for (long[] addresses : ofDevice) {
                if (addresses != null && addresses.length > 0) {
                    return false;
                }
            }
        }
        return true;
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
        int index = Collections.binarySearch(devices, device);
        return index < 0 ? null : allocated[allocated.length == 1 ? 0 : index][type.ordinal()];
    }

    /** Collects a snapshot; not safe for use by several threads. */
    @API(status = Status.EXPERIMENTAL, since = "0.1")
    public static final class Builder {

        private final int mesh;
        private final Moment moment;
        private @Nullable AllocatorId allocator;

        /** The devices that were added together and share one row of regions, as the devices of a mesh do. */
        private List<Integer> together = List.of();

        private long[][] ofAll = new long[0][];

        /** The rows of devices that share none. */
        private @Nullable SortedMap<Integer, long[][]> distinct;

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
            add(device, type, sorted(addresses));
            return this;
        }

        /** Adds one region of several devices in which the same addresses are allocated. */
        public Builder region(List<Integer> devices, BufferType type, long... addresses) {
            long[] once = sorted(addresses);
            if (together.isEmpty() && distinct == null) {
                together = List.copyOf(devices);
                ofAll = new long[TYPES][];
            }
            if (!together.isEmpty() && together.equals(devices)) {
                join(ofAll, type, once);
            } else {
                devices.forEach(device -> add(device, type, once));
            }
            return this;
        }

        private void add(int device, BufferType type, long[] addresses) {
            join(divided().computeIfAbsent(device, unused -> new long[TYPES][]), type, addresses);
        }

        /** Gives each device a row of its own from now on. */
        private SortedMap<Integer, long[][]> divided() {
            SortedMap<Integer, long[][]> each = distinct;
            if (each == null) {
                each = new TreeMap<>();
                for (int device : together) {
                    each.put(device, ofAll.clone());
                }
                distinct = each;
                together = List.of();
            }
            return each;
        }

        private static void join(long[][] regions, BufferType type, long[] addresses) {
            long[] before = regions[type.ordinal()];
            regions[type.ordinal()] = before == null ? addresses : joined(before, addresses);
        }

        /** Returns the snapshot. */
        public WitnessSnapshot build() {
            if (distinct == null && isAscending(together)) {
                return new WitnessSnapshot(mesh, moment, allocator, together, new long[][][] {ofAll.clone()});
            }
            SortedMap<Integer, long[][]> each = divided();
            long[][][] rows = new long[each.size()][][];
            int index = 0;
            for (long[][] row : each.values()) {
                rows[index++] = row.clone();
            }
            return new WitnessSnapshot(mesh, moment, allocator, List.copyOf(each.keySet()), rows);
        }

        private static boolean isAscending(List<Integer> devices) {
            for (int i = 1; i < devices.size(); i++) {
                if (devices.get(i - 1) >= devices.get(i)) {
                    return false;
                }
            }
            return true;
        }

        private static long[] joined(long[] first, long[] second) {
            if (first.length == 0 || second.length == 0) {
                return first.length == 0 ? second : first;
            }
            long[] all = Arrays.copyOf(first, first.length + second.length);
            System.arraycopy(second, 0, all, first.length, second.length);
            return sorted(all);
        }

        /** Sorts only if needed: every test takes three snapshots, and most regions are empty or in order. */
        private static long[] sorted(long[] addresses) {
            for (int i = 1; i < addresses.length; i++) {
                if (addresses[i - 1] >= addresses[i]) {
                    return Arrays.stream(addresses).sorted().distinct().toArray();
                }
            }
            return addresses.length == 0 ? NONE : addresses.clone();
        }
    }
}
