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
 * What a second, independent count of the same memory says at one moment: which addresses are taken.
 *
 * <p>A witness is asked for addresses, not for bytes: an allocator reserves whole pages in every bank, a report carries
 * the plain size, so the two never agree in bytes. It speaks of {@link BufferKind#BUFFER buffers} only; circular buffers
 * are not in any allocator.
 *
 * <p>Immutable and safe for use by several threads.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class WitnessSnapshot {

    /** The moments of a close at which the reading means different things. */
    public enum Moment {
        /** Close was called and has done nothing yet: what is taken now was not given back by the code under test. */
        CLOSE_BEGUN,
        /** The runtime freed what it frees by itself and is about to wipe its allocators. */
        BEFORE_WIPE,
        /** The allocators are wiped: they call everything free, real leaks too. */
        AFTER_WIPE
    }

    /** What a reading says of one address. */
    public enum AddressState {
        /** A buffer starts there. */
        ALLOCATED,
        /** The memory is covered by the reading and no buffer starts there. */
        FREE,
        /** The reading does not cover that memory. */
        UNKNOWN
    }

    private static final long[] NONE = {};
    private static final int TYPES = BufferType.values().length;

    private final int mesh;
    private final Moment moment;
    private final @Nullable AllocatorId allocator;
    /** Ascending. */
    private final List<Integer> devices;
    /** By the place of the device, or one for all of them, and by that of the type; nothing where a memory is not covered. */
    private final long[] @Nullable [][] allocated;

    private WitnessSnapshot(
            int mesh,
            Moment moment,
            @Nullable AllocatorId allocator,
            List<Integer> devices,
            long[] @Nullable [][] taken) {
        this.mesh = mesh;
        this.moment = moment;
        this.allocator = allocator;
        this.devices = devices;
        this.allocated = taken;
    }

    /** Starts a reading for the mesh with the given id, of all allocators that serve it unless one is named. */
    public static Builder of(int mesh, Moment moment) {
        return new Builder(mesh, moment);
    }

    /** Returns the id of the mesh that was read, or, of a device's own allocator, of the mesh at whose close it was. */
    public int mesh() {
        return mesh;
    }

    /** Returns which allocator was read, if one alone was; without it the reading joins all that serve the mesh. */
    public Optional<AllocatorId> allocator() {
        return Optional.ofNullable(allocator);
    }

    /** Returns when it was read. */
    public Moment moment() {
        return moment;
    }

    /** Returns the devices that the reading covers, ascending. */
    public List<Integer> devices() {
        return devices;
    }

    /** Returns the addresses that are taken, ascending; empty too where nothing is covered. */
    public List<Long> allocatedAddresses(int device, BufferType type) {
        long[] addresses = addresses(device, type);
        return addresses == null || addresses.length == 0
                ? List.of()
                : Arrays.stream(addresses).boxed().toList();
    }

    /** Returns whether nothing is taken in any memory that it covers. */
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

    /** Returns what the reading says of a buffer that starts at the given address. */
    public AddressState stateOf(int device, BufferType type, long address) {
        long[] addresses = addresses(device, type);
        if (addresses == null) {
            return AddressState.UNKNOWN;
        }
        return Arrays.binarySearch(addresses, address) >= 0 ? AddressState.ALLOCATED : AddressState.FREE;
    }

    private long @Nullable [] addresses(int device, BufferType type) {
        int place = Collections.binarySearch(devices, device);
        return place < 0 ? null : allocated[allocated.length == 1 ? 0 : place][type.ordinal()];
    }

    /** Collects a reading; not safe for use by several threads. */
    @API(status = Status.EXPERIMENTAL, since = "0.1")
    public static final class Builder {

        private final int mesh;
        private final Moment moment;
        private @Nullable AllocatorId allocator;

        /** The devices that were named together and share one row of regions, as the devices of a mesh do. */
        private List<Integer> together = List.of();

        private long[][] ofAll = new long[0][];

        /** The rows of devices that do not share one. */
        private @Nullable SortedMap<Integer, long[][]> distinct;

        private Builder(int mesh, Moment moment) {
            this.mesh = mesh;
            this.moment = moment;
        }

        /** Says that one allocator alone is read; its buffers are judged by this reading, and no others are. */
        public Builder ofAllocator(AllocatorId read) {
            allocator = read;
            return this;
        }

        /** Adds one region of one device; addresses of a region named twice are joined. */
        public Builder region(int device, BufferType type, long... addresses) {
            add(device, type, sorted(addresses));
            return this;
        }

        /** Adds one region of several devices, in which the same addresses are taken. */
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

        /** From now on each device has a row of its own. */
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

        /** Returns the reading. */
        public WitnessSnapshot build() {
            if (distinct == null && isAscending(together)) {
                return new WitnessSnapshot(mesh, moment, allocator, together, new long[][][] {ofAll.clone()});
            }
            SortedMap<Integer, long[][]> each = divided();
            long[][][] rows = new long[each.size()][][];
            int place = 0;
            for (long[][] row : each.values()) {
                rows[place++] = row.clone();
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

        /** Three readings are taken in every test, and most regions are empty or in order. */
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
