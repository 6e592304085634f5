package dev.meshguard.mesh.buffer;

import dev.meshguard.mesh.allocator.AllocationDirection;
import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.tracker.BufferType;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * What is asked for when a buffer is created on one device.
 *
 * <p>Immutable and safe for use by several threads. Source: {@code Buffer::create} in {@code tt_metal/impl/buffers/buffer.cpp}.
 *
 * @param type the memory
 * @param size the bytes
 * @param pageSize the bytes of a page; pages are dealt out to the banks one by one
 * @param shards the number of cores that hold a shard, empty for a buffer interleaved over all banks
 * @param direction the end of the banks from which memory is taken
 * @param label what the code under test says it is for, if it says so
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record BufferConfig(
        BufferType type,
        long size,
        long pageSize,
        OptionalInt shards,
        AllocationDirection direction,
        Optional<String> label) {

    /**
     * Creates a configuration.
     *
     * @throws MeshRuntimeException if the size is not a whole number of pages
     * @throws IllegalArgumentException if a number is negative or there are fewer than one shard
     */
    public BufferConfig {
        if (size < 0 || pageSize < 0) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT,
                    "Cannot create a buffer of %d B in pages of %d B: sizes are 0 or more",
                    size,
                    pageSize));
        }
        if (pageSize == 0 ? size != 0 : size % pageSize != 0) {
            throw new MeshRuntimeException(String.format(
                    Locale.ROOT,
                    "For valid non-interleaved buffers page size %d must equal buffer size %d."
                            + " For interleaved-buffers, buffer size should be divisible by the page size",
                    pageSize,
                    size));
        }
        if (shards.isPresent() && shards.getAsInt() < 1) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT,
                    "Cannot shard a buffer over %d cores: a sharded buffer lies on at least one",
                    shards.getAsInt()));
        }
    }

    /** Returns the configuration of an interleaved buffer, taken from the end that is usual for the memory. */
    public static BufferConfig of(BufferType type, long size, long pageSize) {
        return new BufferConfig(
                type, size, pageSize, OptionalInt.empty(), AllocationDirection.defaultFor(type), Optional.empty());
    }

    /** Returns this configuration, sharded over a number of cores. */
    public BufferConfig sharded(int cores) {
        return new BufferConfig(type, size, pageSize, OptionalInt.of(cores), direction, label);
    }

    /** Returns this configuration, taken from the given end. */
    public BufferConfig taken(AllocationDirection newDirection) {
        return new BufferConfig(type, size, pageSize, shards, newDirection, label);
    }

    /** Returns this configuration with a name, which reports carry as the label of the buffer. */
    public BufferConfig named(String newLabel) {
        return new BufferConfig(type, size, pageSize, shards, direction, Optional.of(newLabel));
    }
}
