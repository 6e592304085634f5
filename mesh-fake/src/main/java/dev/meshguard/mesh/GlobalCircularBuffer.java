package dev.meshguard.mesh;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.Owner;
import dev.meshguard.event.Quantities;
import dev.meshguard.handle.PartOfHandle;
import dev.meshguard.mesh.allocator.DeviceOutOfMemoryException;
import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.mesh.allocator.Rounding;
import dev.meshguard.mesh.buffer.BufferConfig;
import dev.meshguard.mesh.buffer.CircularBufferConfig;
import dev.meshguard.mesh.buffer.CoreCoord;
import dev.meshguard.mesh.buffer.CoreRange;
import dev.meshguard.mesh.buffer.CoreRangeSet;
import dev.meshguard.mesh.internal.allocation.Allocation;
import dev.meshguard.mesh.internal.context.MeshLock;
import dev.meshguard.mesh.internal.program.ProgramMessages;
import java.lang.ref.Reference;
import java.util.List;
import java.util.Locale;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * A circular buffer through which cores send pages to other cores. It outlives programs.
 *
 * <p>It uses two ordinary buffers, sharded over senders and receivers: the data, and the configuration of each core. Circular
 * buffers of programs can lie {@linkplain Program#createCircularBuffer in it}. It keeps its memory until it is closed, and
 * counts as a leak if it is not closed. Reports refer to it as {@link #owner}. Created by
 * {@link Ttnn#createGlobalCircularBuffer}.
 *
 * <p>Safe for use by several threads: changes happen under the lock of its mesh. Source:
 * {@code tt_metal/impl/buffers/global_circular_buffer.cpp}.
 *
 * @since 0.1
 */
@PartOfHandle
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class GlobalCircularBuffer implements AutoCloseable {

    /** The sender flag, the number of receivers, the start and the size of the data, and three pointers. */
    private static final long CONFIG_WORDS = 7;

    private static final long WORD_SIZE = 4;
    /** Sizes are reported in 32 bits. */
    private static final long MAX_SIZE = 0xffff_ffffL;

    private final MeshDevice mesh;
    private final Owner owner;
    private final Topology topology;
    private final long size;
    private final Allocation data;
    private final Allocation config;

    private GlobalCircularBuffer(
            MeshDevice mesh, Owner owner, Topology topology, long size, Allocation data, Allocation config) {
        this.mesh = mesh;
        this.owner = owner;
        this.topology = topology;
        this.size = size;
        this.data = data;
        this.config = config;
    }

    /**
     * Creates a global circular buffer.
     *
     * @throws DeviceOutOfMemoryException if there is no room
     * @throws MeshRuntimeException if the mesh is closed, a core is named twice, or the memory is neither L1 nor L1_SMALL
     * @throws IllegalArgumentException if there is no sender, or the size is not positive or does not fit 32 bits
     */
    static GlobalCircularBuffer on(
            MeshDevice mesh, int number, List<SenderReceivers> mapping, long size, BufferType type) {
        if (mapping.isEmpty() || size < 1 || size > MAX_SIZE) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT,
                    "Cannot create a global circular buffer of %d B for %d senders: it holds at least 1 B and at most %d B,"
                            + " and has at least one sender",
                    size,
                    mapping.size(),
                    MAX_SIZE));
        }
        Topology topology = Topology.of(mapping);
        if (type != BufferType.L1 && type != BufferType.L1_SMALL) {
            throw new MeshRuntimeException(ProgramMessages.GLOBAL_CIRCULAR_BUFFER_NOT_IN_L1);
        }
        Owner owner = new Owner(Owner.Kind.OTHER, String.format(Locale.ROOT, "global circular buffer %d", number));
        CoreRangeSet cores = topology.allCores();
        Allocation data = mesh.allocateFor(owner, pageOnEachCore(type, size, cores));
        boolean complete = false;
        try {
            long page = topology.configPageSize(mesh.architecture().l1Alignment());
            Allocation config = mesh.allocateFor(owner, pageOnEachCore(type, page, cores));
            complete = true;
            var created = new GlobalCircularBuffer(mesh, owner, topology, size, data, config);
            return mesh.context().freedWith(mesh.context().freedWith(created, config), data);
        } finally {
            if (!complete) {
                mesh.endIfAllocated(data);
            }
        }
    }

    private static BufferConfig pageOnEachCore(BufferType type, long page, CoreRangeSet cores) {
        return BufferConfig.of(type, page * cores.numCores(), page).heightSharded(cores);
    }

    /** Returns the mesh. */
    public MeshDevice device() {
        return mesh;
    }

    /** Returns its name in reports, for example {@code global circular buffer 1}. */
    public Owner owner() {
        return owner;
    }

    /** Returns the bytes on each core. */
    public long size() {
        return size;
    }

    /** Returns the memory it lies in. */
    public BufferType type() {
        return data.type();
    }

    /** Returns the address of the data on every core of every device, also after it was closed. */
    public long bufferAddress() {
        return data.address();
    }

    /** Returns the address of the configuration of each core, also after this was closed. */
    public long configAddress() {
        return config.address();
    }

    /** Returns the cores that send. */
    public CoreRangeSet senderCores() {
        return topology.senders();
    }

    /** Returns the cores that receive. */
    public CoreRangeSet receiverCores() {
        return topology.receivers();
    }

    /** Returns the cores that have a part of it. */
    public CoreRangeSet allCores() {
        return topology.allCores();
    }

    /** Returns whether it was not closed and its mesh was not destroyed. */
    public boolean isAllocated() {
        return !data.isFreed() && !mesh.isDestroyed();
    }

    /** Frees the memory. A second call does nothing and reports nothing. */
    @Override
    public void close() {
        try (MeshLock held = mesh.context().lock().acquire()) {
            mesh.endIfAllocated(config);
            mesh.endIfAllocated(data);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /**
     * Checks that a circular buffer of a program may lie in it.
     *
     * @throws MeshRuntimeException if it has no remote index or lies on other cores
     */
    void requireHolds(CircularBufferConfig circularBuffer) {
        if (!circularBuffer.hasRemoteIndex()) {
            throw new MeshRuntimeException(ProgramMessages.GLOBAL_WITHOUT_REMOTE_INDEX);
        }
        CoreRangeSet cores = circularBuffer.cores().orElseGet(() -> CoreRangeSet.of(mesh.computeGrid()));
        if (!allCores().contains(cores)) {
            throw new MeshRuntimeException(ProgramMessages.CORES_OUTSIDE_GLOBAL);
        }
    }

    CircularBuffer.Home homeOfCircularBuffers() {
        return new CircularBuffer.Home(
                bufferAddress(), Rounding.up(size, mesh.architecture().l1Alignment()));
    }

    /** Returns name, memory and address for a person to read. */
    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "GlobalCircularBuffer(%s, %s of %s at %s on %s%s)",
                owner,
                Quantities.size(size),
                type(),
                Quantities.address(bufferAddress()),
                allCores(),
                data.isFreed() ? ", closed" : "");
    }

    /**
     * A core and those to which it sends.
     *
     * @param sender the core that sends
     * @param receivers the cores that receive from it
     * @since 0.1
     */
    @API(status = Status.EXPERIMENTAL, since = "0.1")
    public record SenderReceivers(CoreCoord sender, CoreRangeSet receivers) {}

    /** The participating cores, and the number of receivers of the busiest sender. */
    private record Topology(CoreRangeSet senders, CoreRangeSet receivers, CoreRangeSet allCores, int mostReceivers) {

        static Topology of(List<SenderReceivers> mapping) {
            CoreRangeSet receivers = CoreRangeSet.of();
            int numReceivers = 0;
            int mostReceivers = 0;
            for (SenderReceivers entry : mapping) {
                numReceivers += entry.receivers().numCores();
                mostReceivers = Math.max(mostReceivers, entry.receivers().numCores());
                receivers = receivers.merge(entry.receivers());
            }
            CoreRangeSet senders = new CoreRangeSet(
                    mapping.stream().map(entry -> CoreRange.of(entry.sender())).toList());
            if (receivers.numCores() != numReceivers) {
                throw new MeshRuntimeException(ProgramMessages.DUPLICATE_RECEIVERS);
            }
            CoreRangeSet all = senders.merge(receivers);
            if (all.numCores() != senders.numCores() + numReceivers) {
                throw new MeshRuntimeException(ProgramMessages.DUPLICATE_CORES);
            }
            return new Topology(senders, receivers, all, mostReceivers);
        }

        /**
         * Returns the bytes of a core's words, of two words for the position of each receiver, and of two counters for each
         * receiver.
         */
        long configPageSize(long l1Alignment) {
            long words = (CONFIG_WORDS + 2L * mostReceivers) * WORD_SIZE;
            return Rounding.up(words, l1Alignment) + 2L * mostReceivers * l1Alignment;
        }
    }
}
