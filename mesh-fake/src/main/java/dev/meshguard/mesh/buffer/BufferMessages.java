package dev.meshguard.mesh.buffer;

import java.util.Locale;

/**
 * The texts of the runtime about buffer configurations, verbatim.
 *
 * <p>Sources: {@code tt_metal/impl/buffers/buffer.cpp}, {@code tt_metal/distributed/mesh_buffer.cpp},
 * {@code tt_metal/common/core_coord.cpp} and {@code tt_metal/impl/allocator/allocator.cpp}.
 */
final class BufferMessages {

    static final String SUB_DEVICE_NOT_SHARDED = "Specifying sub-device for buffer requires buffer to be sharded";
    static final String SUB_DEVICE_NOT_L1 = "Specifying sub-device for buffer requires buffer to be L1";
    static final String NOT_SHARDED = "Buffer not sharded";

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
}
