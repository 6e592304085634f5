package dev.meshguard.tracker;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

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
public final class WitnessReading {

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
    public enum Testimony {
        /** A buffer starts there. */
        TAKEN,
        /** The memory is covered by the reading and no buffer starts there. */
        FREE,
        /** The reading does not cover that memory. */
        SILENT
    }

    private static final long[] NONE = {};

    private final int mesh;
    private final Moment moment;
    private final Map<Integer, Map<BufferType, long[]>> taken;

    private WitnessReading(int mesh, Moment moment, Map<Integer, Map<BufferType, long[]>> taken) {
        this.mesh = mesh;
        this.moment = moment;
        this.taken = taken;
    }

    /** Starts a reading for the mesh with the given id. */
    public static Builder of(int mesh, Moment moment) {
        return new Builder(mesh, moment);
    }

    /** Returns the id of the mesh that was read. */
    public int mesh() {
        return mesh;
    }

    /** Returns when it was read. */
    public Moment moment() {
        return moment;
    }

    /** Returns the devices that the reading covers, ascending. */
    public List<Integer> devices() {
        return new ArrayList<>(taken.keySet());
    }

    /** Returns the addresses that are taken, ascending; empty too where nothing is covered. */
    public List<Long> takenAddresses(int device, BufferType type) {
        Map<BufferType, long[]> ofDevice = taken.get(device);
        long[] addresses = ofDevice == null ? null : ofDevice.get(type);
        return addresses == null || addresses.length == 0
                ? List.of()
                : Arrays.stream(addresses).boxed().toList();
    }

    /** Returns what the reading says of a buffer that starts at the given address. */
    public Testimony testify(int device, BufferType type, long address) {
        Map<BufferType, long[]> ofDevice = taken.get(device);
        long[] addresses = ofDevice == null ? null : ofDevice.get(type);
        if (addresses == null) {
            return Testimony.SILENT;
        }
        return Arrays.binarySearch(addresses, address) >= 0 ? Testimony.TAKEN : Testimony.FREE;
    }

    /** Collects a reading; not safe for use by several threads. */
    @API(status = Status.EXPERIMENTAL, since = "0.1")
    public static final class Builder {

        private final int mesh;
        private final Moment moment;
        private final Map<Integer, Map<BufferType, long[]>> taken = new TreeMap<>();

        private Builder(int mesh, Moment moment) {
            this.mesh = mesh;
            this.moment = moment;
        }

        /** Adds one region of one device; addresses of a region named twice are joined. */
        public Builder region(int device, BufferType type, long... addresses) {
            taken.computeIfAbsent(device, unused -> new EnumMap<>(BufferType.class))
                    .merge(type, sorted(addresses), Builder::joined);
            return this;
        }

        /** Returns the reading. */
        public WitnessReading build() {
            Map<Integer, Map<BufferType, long[]>> copy = new TreeMap<>();
            taken.forEach((device, regions) -> copy.put(device, new EnumMap<>(regions)));
            return new WitnessReading(mesh, moment, copy);
        }

        private static long[] joined(long[] first, long[] second) {
            if (first.length == 0 || second.length == 0) {
                return first.length == 0 ? second : first;
            }
            long[] all = Arrays.copyOf(first, first.length + second.length);
            System.arraycopy(second, 0, all, first.length, second.length);
            return sorted(all);
        }

        /** Three readings of forty regions are taken in every test, and most regions are empty or in order. */
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
