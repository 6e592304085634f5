package dev.meshguard.mesh.buffer;

import dev.meshguard.event.BufferType;
import dev.meshguard.mesh.allocator.AllocationDirection;
import dev.meshguard.mesh.allocator.MeshRuntimeException;
import java.util.Locale;
import java.util.Optional;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The layout of a buffer on one device, without its size.
 *
 * <p>Immutable and safe for use by several threads. Sources: {@code DeviceLocalBufferConfig} in
 * {@code tt_metal/api/tt-metalium/mesh_buffer.hpp}, {@code BufferShardingArgs} and the checks in
 * {@code tt_metal/impl/buffers/buffer.cpp}.
 *
 * @param type the memory
 * @param pageSize the bytes of a page, which always lies in one bank
 * @param layout how the pages are spread over the banks
 * @param shardSpec which page goes to which core, present exactly if the layout is sharded
 * @param direction the end of the banks to allocate from
 * @param subDevice the sub-device whose memory the buffer uses, empty for the memory of the whole device
 * @param label the label that the code under test set, if any
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record DeviceLocalBufferConfig(
        BufferType type,
        long pageSize,
        TensorMemoryLayout layout,
        Optional<ShardSpecBuffer> shardSpec,
        AllocationDirection direction,
        Optional<SubDeviceId> subDevice,
        Optional<String> label) {

    /**
     * Creates a configuration.
     *
     * @throws MeshRuntimeException if a sharded layout has no shards or an interleaved one has, or if a sub-device is named for
     *     anything but a sharded buffer in L1
     * @throws IllegalArgumentException if the page size is negative
     */
    public DeviceLocalBufferConfig {
        if (pageSize < 0) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT, "Cannot create a buffer in pages of %d B: a page has 0 B or more", pageSize));
        }
        if (subDevice.isPresent()) {
            require(shardSpec.isPresent(), BufferMessages.SUB_DEVICE_NOT_SHARDED);
            require(type.memory() == BufferType.Memory.L1, BufferMessages.SUB_DEVICE_NOT_L1);
        }
        if (layout.isSharded()) {
            require(shardSpec.isPresent(), BufferMessages.SHARDED_WITHOUT_SPEC);
        } else {
            require(shardSpec.isEmpty(), BufferMessages.SPEC_WITHOUT_SHARDED);
        }
    }

    /** Returns the configuration of interleaved buffers, allocated from the default end of the memory. */
    public static DeviceLocalBufferConfig of(BufferType type, long pageSize) {
        return new DeviceLocalBufferConfig(
                type,
                pageSize,
                TensorMemoryLayout.INTERLEAVED,
                Optional.empty(),
                AllocationDirection.defaultFor(type),
                Optional.empty(),
                Optional.empty());
    }

    /**
     * Returns the configuration of a buffer of the given bytes.
     *
     * @throws MeshRuntimeException if the size is not a whole number of pages
     * @throws IllegalArgumentException if the size is negative
     */
    public BufferConfig sized(long size) {
        return new BufferConfig(size, this);
    }

    /**
     * Returns this configuration, sharded over cores.
     *
     * @throws MeshRuntimeException if the layout is not sharded
     */
    public DeviceLocalBufferConfig sharded(TensorMemoryLayout newLayout, ShardSpecBuffer newShardSpec) {
        return new DeviceLocalBufferConfig(
                type, pageSize, newLayout, Optional.of(newShardSpec), direction, subDevice, label);
    }

    /** Returns this configuration, allocated from the given end. */
    public DeviceLocalBufferConfig inDirection(AllocationDirection newDirection) {
        return new DeviceLocalBufferConfig(type, pageSize, layout, shardSpec, newDirection, subDevice, label);
    }

    /**
     * Returns this configuration, in the memory of a sub-device.
     *
     * @throws MeshRuntimeException unless the layout is already sharded and in L1
     */
    public DeviceLocalBufferConfig on(SubDeviceId newSubDevice) {
        return new DeviceLocalBufferConfig(
                type, pageSize, layout, shardSpec, direction, Optional.of(newSubDevice), label);
    }

    /** Returns this configuration with a name, which reports carry as the label of the buffer. */
    public DeviceLocalBufferConfig named(String newLabel) {
        return new DeviceLocalBufferConfig(
                type, pageSize, layout, shardSpec, direction, subDevice, Optional.of(newLabel));
    }

    /**
     * Returns which page goes to which core.
     *
     * @throws MeshRuntimeException if the layout is interleaved
     */
    public ShardSpecBuffer requireShardSpec() {
        return shardSpec.orElseThrow(() -> new MeshRuntimeException(BufferMessages.NOT_SHARDED));
    }

    /**
     * Checks that its shards lie on the cores of the sub-device it names.
     *
     * @throws MeshRuntimeException if one does not, or if it is not sharded
     */
    public void requireWithin(CoreRangeSet subDeviceCores) {
        CoreRangeSet shardCores = requireShardSpec().grid();
        require(subDeviceCores.contains(shardCores), BufferMessages.notOnSubDevice(shardCores, subDeviceCores));
    }

    private static void require(boolean condition, String otherwise) {
        if (!condition) {
            throw new MeshRuntimeException(otherwise);
        }
    }
}
