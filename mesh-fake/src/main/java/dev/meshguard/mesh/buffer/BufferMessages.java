package dev.meshguard.mesh.buffer;

import java.util.Locale;

/**
 * The texts of the runtime about buffer configurations, verbatim.
 *
 * <p>Sources: {@code tt_metal/impl/buffers/buffer.cpp}, {@code tt_metal/distributed/mesh_buffer.cpp},
 * {@code tt_metal/common/core_coord.cpp} and {@code tt_metal/impl/allocator/allocator.cpp}.
 */
final class BufferMessages {

    static final String SHARDED_WITHOUT_SPEC =
            "Buffer was specified as sharded but does not have shard_spec or buffer_distribution_spec specified";
    static final String SPEC_WITHOUT_SHARDED =
            "Buffer was specified as not sharded but has shard_spec or buffer_distribution_spec specified";
    static final String SUB_DEVICE_NOT_SHARDED = "Specifying sub-device for buffer requires buffer to be sharded";
    static final String SUB_DEVICE_NOT_L1 = "Specifying sub-device for buffer requires buffer to be L1";
    static final String NOT_SHARDED = "Buffer not sharded";
    static final String REGION_OFFSET_NOT_ALIGNED = "Region offset must be a multiple of page size";
    static final String REGION_SIZE_NOT_ALIGNED = "Region size must be a multiple of page size";
    static final String REGION_OUTSIDE_BUFFER = "Region must be within buffer";
    static final String NO_GLOBAL_SHARD_SPEC = "Can only query the global shard spec for a sharded MeshBuffer";
    static final String NO_DATUM_SIZE = "Can only query datum size for buffers sharded across the Mesh";
    static final String NO_PHYSICAL_SHARD_SHAPE =
            "Can only query physical shard shape for buffers sharded across the Mesh";

    private BufferMessages() {}

    static String notWholePages(long pageSize, long size) {
        return String.format(
                Locale.ROOT,
                "For valid non-interleaved buffers page size %d must equal buffer size %d."
                        + " For interleaved-buffers, buffer size should be divisible by the page size",
                pageSize,
                size);
    }

    static String notOnSubDevice(CoreRangeSet shardCores, CoreRangeSet subDeviceCores) {
        return String.format(
                Locale.ROOT, "Shard cores specified %s do not match sub-device cores %s", shardCores, subDeviceCores);
    }

    static String invalidCoreRange(CoreCoord start, CoreCoord end) {
        return String.format(Locale.ROOT, "Invalid core range for start_coord: %s, end_coord: %s", start, end);
    }

    static String overlappingCoreRanges(CoreRange first, CoreRange second) {
        return String.format(
                Locale.ROOT,
                "Cannot create CoreRangeSet with specified core ranges because core ranges %s and %s overlap!",
                first,
                second);
    }

    static String globalShapeNotAligned(Shape2D global, Shape2D shard) {
        return String.format(
                Locale.ROOT,
                "Global buffer shape must be aligned with the shard shape: requested buffer shape: %s, shard shape: %s",
                global,
                shard);
    }

    static String tooManyShards(long shards, int devices) {
        return String.format(
                Locale.ROOT,
                "The sharded tensor does not fit on the Mesh. Num shards in buffer %d, Num Devices %d",
                shards,
                devices);
    }
}
