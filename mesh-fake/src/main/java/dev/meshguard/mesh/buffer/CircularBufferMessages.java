package dev.meshguard.mesh.buffer;

import java.util.Locale;

/**
 * The texts of the runtime about the configuration of circular buffers, verbatim.
 *
 * <p>Sources: {@code tt_metal/impl/buffers/{circular_buffer,circular_buffer_config}.cpp}.
 */
final class CircularBufferMessages {

    private CircularBufferMessages() {}

    static String notWholePages(int index, long size, long pageSize) {
        return String.format(
                Locale.ROOT,
                "Failed allocation attempt on buffer index %d. Total circular buffer size %d B must be divisible by page"
                        + " size %d B",
                index,
                size,
                pageSize);
    }

    static String sizeNotWholePages(long size, long pageSize) {
        return String.format(
                Locale.ROOT, "Total circular buffer size %d B must be divisible by page size %d B", size, pageSize);
    }

    static String tooManyPages(int index, long pages, long most) {
        return String.format(
                Locale.ROOT,
                "For buffer index %d, number of CB pages %d is greater than %d. Would cause wraparound in the CB"
                        + " calculations.",
                index,
                pages,
                most);
    }

    static String indexNotConfigured(int index) {
        return String.format(
                Locale.ROOT,
                "Cannot access page size for buffer index %d because circular buffer is not configured on that index",
                index);
    }
}
