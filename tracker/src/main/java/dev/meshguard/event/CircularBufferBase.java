package dev.meshguard.event;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The address in L1 from which a runtime places circular buffers upwards, and their alignment, for each known chip and version.
 *
 * <p>The allocator reserves L1 from the top down. Programs place their circular buffers outside the allocator, from
 * this address upward without gaps ({@code tt_metal/impl/program/program.cpp}). The address differs between versions; a
 * runtime that is not listed has another one.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public enum CircularBufferBase {
    /**
     * Wormhole B0 on the allocation-tracking branch of October 2025, as in the logs of its
     * {@code test_mesh_allocation.py}.
     */
    WORMHOLE_B0_OCTOBER_2025("Wormhole B0 (October 2025)", 101_152, 32),
    /**
     * Wormhole B0 on the main branch of May 2026: {@code dev_mem_map.h} and the default area for kernel
     * configurations.
     */
    WORMHOLE_B0_MAY_2026("Wormhole B0 (May 2026)", 103_776, 32),
    /** Blackhole on the main branch of May 2026, from the same files. */
    BLACKHOLE_MAY_2026("Blackhole (May 2026)", 111_104, 64);

    private final String description;
    private final long address;
    private final long alignment;

    CircularBufferBase(String words, long address, long alignment) {
        this.description = words;
        this.address = address;
        this.alignment = alignment;
    }

    /** Returns chip and version as readable text. */
    public String description() {
        return description;
    }

    /** Returns the address, in bytes. */
    public long address() {
        return address;
    }

    /** Returns the alignment of circular buffer addresses, in bytes: that of DRAM. */
    public long alignment() {
        return alignment;
    }
}
