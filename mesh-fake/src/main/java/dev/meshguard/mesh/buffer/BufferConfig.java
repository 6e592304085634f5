package dev.meshguard.mesh.buffer;

import dev.meshguard.event.BufferType;
import dev.meshguard.mesh.allocator.AllocationDirection;
import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.mesh.allocator.Rounding;
import dev.meshguard.text.InvariantText;
import java.util.Optional;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The configuration of a buffer on one device: its size and its layout.
 *
 * <p>Immutable and safe for use by several threads. Sources: {@code Buffer::create}, {@code BufferShardingArgs} and the checks in
 * {@code tt_metal/impl/buffers/buffer.cpp}.
 *
 * @param type the memory
 * @param size the bytes
 * @param pageSize the bytes of a page, which always lies in one bank
 * @param shards the cores with a shard each, empty for pages that are interleaved over all banks
 * @param direction the end of the banks to allocate from
 * @param subDevice the sub-device whose memory the buffer uses, empty for the memory of the whole device
 * @param label the label that the code under test set, if any
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record BufferConfig(
        BufferType type,
        long size,
        long pageSize,
        Optional<Shards> shards,
        AllocationDirection direction,
        Optional<SubDeviceId> subDevice,
        Optional<String> label) {

    /**
     * Creates a configuration.
     *
     * @throws MeshRuntimeException if the size is not a whole number of pages, or a sub-device is named for anything but a sharded
     *     buffer in L1
     * @throws IllegalArgumentException if a number is negative
     */
    public BufferConfig {
        if (pageSize < 0) {
            throw new IllegalArgumentException(
                    InvariantText.of("Cannot create a buffer in pages of %d B: a page has 0 B or more", pageSize));
        }
        if (subDevice.isPresent()) {
            require(shards.isPresent(), "Specifying sub-device for buffer requires buffer to be sharded");
            require(type.memory() == BufferType.Memory.L1, "Specifying sub-device for buffer requires buffer to be L1");
        }
        if (size < 0) {
            throw new IllegalArgumentException(
                    InvariantText.of("Cannot create a buffer of %d B: a buffer has 0 B or more", size));
        }
        if (size != 0 && (pageSize == 0 || size % pageSize != 0)) {
            throw new MeshRuntimeException(
                    "For valid non-interleaved buffers page size %d must equal buffer size %d."
                            + " For interleaved-buffers, buffer size should be divisible by the page size",
                    pageSize, size);
        }
    }

    /**
     * Returns the configuration of an interleaved buffer, allocated from the default end of the memory.
     *
     * @throws MeshRuntimeException if the size is not a whole number of pages
     * @throws IllegalArgumentException if a number is negative
     */
    public static BufferConfig of(BufferType type, long size, long pageSize) {
        return new BufferConfig(
                type,
                size,
                pageSize,
                Optional.empty(),
                AllocationDirection.defaultFor(type),
                Optional.empty(),
                Optional.empty());
    }

    /** Returns the number of pages. */
    public long numPages() {
        return pageSize == 0 ? 0 : size / pageSize;
    }

    /**
     * Returns this configuration, sharded over cores. In which order the pages go to the cores needs no memory, so height, width
     * and block shards are all said so.
     *
     * @param pagesPerCore the pages for which every core makes room, those that fill up the last shards included
     * @throws IllegalArgumentException if there is no core, or the number is negative
     */
    public BufferConfig sharded(CoreRangeSet cores, long pagesPerCore) {
        Optional<Shards> newShards = Optional.of(new Shards(cores, pagesPerCore));
        return new BufferConfig(type, size, pageSize, newShards, direction, subDevice, label);
    }

    /**
     * Returns this configuration, sharded over cores in runs of consecutive pages, as long as they must be for all to fit.
     *
     * <p>The layout of buffers that have a piece of the same size for every core and no shape of their own, such as global
     * semaphores.
     *
     * @throws IllegalArgumentException if there is no core
     */
    public BufferConfig heightSharded(CoreRangeSet cores) {
        return sharded(cores, Rounding.ceilDiv(numPages(), Math.max(1, cores.numCores())));
    }

    /** Returns this configuration, allocated from the given end. */
    public BufferConfig inDirection(AllocationDirection newDirection) {
        return new BufferConfig(type, size, pageSize, shards, newDirection, subDevice, label);
    }

    /**
     * Returns this configuration, in the memory of a sub-device.
     *
     * @throws MeshRuntimeException unless the layout is already sharded and in L1
     */
    public BufferConfig on(SubDeviceId newSubDevice) {
        return new BufferConfig(type, size, pageSize, shards, direction, Optional.of(newSubDevice), label);
    }

    /** Returns this configuration with a name, which reports carry as the label of the buffer. */
    public BufferConfig named(String newLabel) {
        return new BufferConfig(type, size, pageSize, shards, direction, subDevice, Optional.of(newLabel));
    }

    /**
     * Checks that its shards lie on the cores of the sub-device it names.
     *
     * @throws MeshRuntimeException if one does not, or if it is not sharded
     */
    public void requireWithin(CoreRangeSet subDeviceCores) {
        CoreRangeSet shardCores = shards.orElseThrow(() -> new MeshRuntimeException("Buffer not sharded"))
                .cores();
        require(
                subDeviceCores.contains(shardCores),
                InvariantText.of(
                        "Shard cores specified %s do not match sub-device cores %s", shardCores, subDeviceCores));
    }

    private static void require(boolean condition, String otherwise) {
        if (!condition) {
            throw new MeshRuntimeException(otherwise);
        }
    }

    /**
     * Cores with a shard each.
     *
     * @param cores at least one
     * @param pagesPerCore the pages for which every core makes room, 0 or more
     * @since 0.1
     */
    @API(status = Status.EXPERIMENTAL, since = "0.1")
    public record Shards(CoreRangeSet cores, long pagesPerCore) {

        /**
         * Creates shards.
         *
         * @throws IllegalArgumentException if there is no core, or the number of pages is negative
         */
        public Shards {
            if (cores.numCores() == 0 || pagesPerCore < 0) {
                throw new IllegalArgumentException(InvariantText.of(
                        "Cannot shard over %d cores in shards of %d pages: name at least one core, and 0 pages or more",
                        cores.numCores(), pagesPerCore));
            }
        }
    }
}
