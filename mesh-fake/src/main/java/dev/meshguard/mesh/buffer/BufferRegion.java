package dev.meshguard.mesh.buffer;

import dev.meshguard.mesh.allocator.MeshRuntimeException;
import java.util.Locale;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * A part of a buffer.
 *
 * <p>Immutable and safe for use by several threads. Source: {@code BufferRegion} in {@code tt_metal/api/tt-metalium/buffer.hpp}.
 *
 * @param offset the bytes of the buffer that lie before it, 0 or more
 * @param size its bytes, 0 or more
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record BufferRegion(long offset, long size) {

    /**
     * Creates a region.
     *
     * @throws IllegalArgumentException if a number is negative
     */
    public BufferRegion {
        if (offset < 0 || size < 0) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT, "There is no region of %d B at offset %d: both are 0 or more", size, offset));
        }
    }

    /** Returns whether the region lies in a buffer of the given bytes. */
    public boolean isWithin(long bufferSize) {
        return offset <= bufferSize && size <= bufferSize - offset;
    }

    /** Returns whether the region is the whole of a buffer of the given bytes. */
    public boolean isWhole(long bufferSize) {
        return offset == 0 && size == bufferSize;
    }

    /**
     * Checks that a buffer can have a view of this region.
     *
     * @param bufferSize the bytes of the buffer
     * @param pageSize the bytes of a page of the buffer
     * @throws MeshRuntimeException if it does not lie in the buffer or cuts through a page
     */
    public void requireViewable(long bufferSize, long pageSize) {
        requireWholePages(offset, pageSize, BufferMessages.REGION_OFFSET_NOT_ALIGNED);
        requireWholePages(size, pageSize, BufferMessages.REGION_SIZE_NOT_ALIGNED);
        if (!isWithin(bufferSize)) {
            throw new MeshRuntimeException(BufferMessages.REGION_OUTSIDE_BUFFER);
        }
    }

    /** Pages of 0 bytes are allowed only for a buffer without content, which has no region but its start. */
    private static void requireWholePages(long bytes, long pageSize, String otherwise) {
        boolean wholePages = pageSize == 0 ? bytes == 0 : bytes % pageSize == 0;
        if (!wholePages) {
            throw new MeshRuntimeException(otherwise);
        }
    }
}
