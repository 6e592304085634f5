package dev.meshguard.mesh.buffer;

import dev.meshguard.event.BufferType;
import dev.meshguard.mesh.allocator.AllocationDirection;
import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.mesh.allocator.Rounding;
import java.util.Locale;
import java.util.Optional;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The configuration of a buffer on one device: its size and its layout.
 *
 * <p>Immutable and safe for use by several threads. Source: {@code Buffer::create} in {@code tt_metal/impl/buffers/buffer.cpp}.
 *
 * @param size the bytes
 * @param deviceLocal the memory, the pages, and the distribution of the pages over the banks
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record BufferConfig(long size, DeviceLocalBufferConfig deviceLocal) {

    /**
     * Creates a configuration.
     *
     * @throws MeshRuntimeException if the size is not a whole number of pages
     * @throws IllegalArgumentException if the size is negative
     */
    public BufferConfig {
        if (size < 0) {
            throw new IllegalArgumentException(
                    String.format(Locale.ROOT, "Cannot create a buffer of %d B: a buffer has 0 B or more", size));
        }
        long pageSize = deviceLocal.pageSize();
        if (size != 0 && (pageSize == 0 || size % pageSize != 0)) {
            throw new MeshRuntimeException(BufferMessages.notWholePages(pageSize, size));
        }
    }

    /**
     * Returns the configuration of an interleaved buffer, allocated from the default end of the memory.
     *
     * @throws MeshRuntimeException if the size is not a whole number of pages
     * @throws IllegalArgumentException if a number is negative
     */
    public static BufferConfig of(BufferType type, long size, long pageSize) {
        return DeviceLocalBufferConfig.of(type, pageSize).sized(size);
    }

    /** Returns the memory. */
    public BufferType type() {
        return deviceLocal.type();
    }

    /** Returns the bytes of a page. */
    public long pageSize() {
        return deviceLocal.pageSize();
    }

    /** Returns how the pages are spread over the banks. */
    public TensorMemoryLayout layout() {
        return deviceLocal.layout();
    }

    /** Returns which page goes to which core; present exactly if the buffer is sharded. */
    public Optional<ShardSpecBuffer> shardSpec() {
        return deviceLocal.shardSpec();
    }

    /** Returns the end of the banks to allocate from. */
    public AllocationDirection direction() {
        return deviceLocal.direction();
    }

    /** Returns the sub-device whose memory the buffer uses; empty for the memory of the whole device. */
    public Optional<SubDeviceId> subDevice() {
        return deviceLocal.subDevice();
    }

    /** Returns the label that the code under test set, if any. */
    public Optional<String> label() {
        return deviceLocal.label();
    }

    /** Returns the number of pages. */
    public long numPages() {
        return pageSize() == 0 ? 0 : size() / pageSize();
    }

    /**
     * Returns this configuration, sharded over cores.
     *
     * @throws MeshRuntimeException if the layout is not sharded
     */
    public BufferConfig sharded(TensorMemoryLayout layout, ShardSpecBuffer shardSpec) {
        return deviceLocal.sharded(layout, shardSpec).sized(size);
    }

    /**
     * Returns this configuration, sharded over cores in runs of consecutive pages, as long as they must be for all to fit.
     *
     * <p>The layout of buffers that have a piece of the same size for every core and no shape of their own, such as global
     * semaphores.
     *
     * @throws IllegalArgumentException if there is no core, or more than {@link Integer#MAX_VALUE} pages
     */
    public BufferConfig heightSharded(CoreRangeSet cores) {
        if (numPages() > Integer.MAX_VALUE) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT,
                    "Cannot shard %d pages: there may be at most %d. Use larger pages.",
                    numPages(),
                    Integer.MAX_VALUE));
        }
        int pagesPerCore = (int) Rounding.ceilDiv(numPages(), Math.max(1, cores.numCores()));
        ShardSpec shards = ShardSpec.of(cores, new Shape2D(pagesPerCore, 1));
        return sharded(TensorMemoryLayout.HEIGHT_SHARDED, new ShardSpecBuffer(shards, new Shape2D(1, 1)));
    }

    /** Returns this configuration, allocated from the given end. */
    public BufferConfig inDirection(AllocationDirection direction) {
        return deviceLocal.inDirection(direction).sized(size);
    }

    /**
     * Returns this configuration, in the memory of a sub-device.
     *
     * @throws MeshRuntimeException unless the layout is already sharded and in L1
     */
    public BufferConfig on(SubDeviceId subDevice) {
        return deviceLocal.on(subDevice).sized(size);
    }

    /** Returns this configuration with a name, which reports carry as the label of the buffer. */
    public BufferConfig named(String label) {
        return deviceLocal.named(label).sized(size);
    }
}
