package dev.meshguard.mesh.buffer;

import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.text.InvariantText;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The configuration of a circular buffer: its size, its cores, and the indices that kernels use for it.
 *
 * <p>Data formats are omitted because they need no memory. A circular buffer without an index needs memory too. Immutable and
 * safe for use by several threads. Source: {@code CircularBufferConfig} in
 * {@code tt_metal/api/tt-metalium/circular_buffer_config.hpp}.
 *
 * @param size the bytes on each core
 * @param cores the cores, empty for the whole compute grid
 * @param indices the indices that kernels use, each with its own page size
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record CircularBufferConfig(long size, Optional<CoreRangeSet> cores, List<Index> indices) {

    /** The counters of pages on the chip have 16 bits. */
    private static final long MAX_PAGES = 65_535;
    /** Sizes are reported in 32 bits. */
    private static final long MAX_SIZE = 0xffff_ffffL;

    /**
     * Creates a configuration with its own copy of the list.
     *
     * @throws IllegalArgumentException if the size is not positive or does not fit 32 bits
     */
    public CircularBufferConfig {
        if (size < 1 || size > MAX_SIZE) {
            throw new IllegalArgumentException(InvariantText.of(
                    "Cannot create a circular buffer of %d B: it holds at least 1 B and at most %d B", size, MAX_SIZE));
        }
        indices = List.copyOf(indices);
        for (Index index : indices) {
            if (size % index.pageSize() != 0) {
                throw new MeshRuntimeException(
                        "Failed allocation attempt on buffer index %d. Total circular buffer size %d B must be divisible by page"
                                + " size %d B",
                        index.number(), size, index.pageSize());
            }
        }
    }

    /** Returns the configuration of a circular buffer on the whole compute grid. */
    public static CircularBufferConfig of(long size) {
        return new CircularBufferConfig(size, Optional.empty(), List.of());
    }

    /**
     * Returns this configuration on the cores of rectangles.
     *
     * @throws MeshRuntimeException if two rectangles have a core in common
     */
    public CircularBufferConfig on(CoreRange... newCores) {
        return on(CoreRangeSet.of(newCores));
    }

    /** Returns this configuration on some cores. */
    public CircularBufferConfig on(CoreRangeSet newCores) {
        return new CircularBufferConfig(size, Optional.of(newCores), indices);
    }

    /**
     * Returns this configuration with one more index.
     *
     * @param index the number that the kernels of a core use for the buffer, from 0
     * @param pageSize the bytes of a page
     * @throws MeshRuntimeException if the size is not a whole number of pages
     * @throws IllegalArgumentException if the index is negative or the page size not positive
     */
    public CircularBufferConfig at(int index, long pageSize) {
        Index added = new Index(index, pageSize);
        List<Index> more = new ArrayList<>(indices);
        more.removeIf(known -> known.number() == added.number());
        more.add(added);
        return new CircularBufferConfig(size, cores, more);
    }

    /**
     * Returns the number of pages under an index.
     *
     * @throws MeshRuntimeException if there is no such index, the size is not a whole number of pages, or there are more pages
     *     than the chip can count
     */
    public long numPages(int index) {
        long pageSize = find(index)
                .orElseThrow(() -> new MeshRuntimeException(
                        "Cannot access page size for buffer index %d because circular buffer is not configured on that index",
                        index))
                .pageSize();
        long pages = size / pageSize;
        if (pages > MAX_PAGES) {
            throw new MeshRuntimeException(
                    "For buffer index %d, number of CB pages %d is greater than %d. Would cause wraparound in the CB"
                            + " calculations.",
                    index, pages, MAX_PAGES);
        }
        return pages;
    }

    /** Returns whether kernels use the index for this circular buffer. */
    public boolean hasIndex(int index) {
        return find(index).isPresent();
    }

    private Optional<Index> find(int number) {
        return indices.stream().filter(known -> known.number() == number).findFirst();
    }

    /**
     * A number that kernels use for a circular buffer.
     *
     * @param number from 0
     * @param pageSize the bytes of a page
     * @since 0.1
     */
    @API(status = Status.EXPERIMENTAL, since = "0.1")
    public record Index(int number, long pageSize) {

        /**
         * Creates an index.
         *
         * @throws IllegalArgumentException if the number is negative or the page size not positive
         */
        public Index {
            if (number < 0 || pageSize < 1) {
                throw new IllegalArgumentException(InvariantText.of(
                        "There is no circular buffer at index %d with pages of %d B: indices count from 0, and a page has at least 1 B",
                        number, pageSize));
            }
        }
    }
}
