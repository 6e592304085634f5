package dev.meshguard.event;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The memory a buffer lives in.
 *
 * <p>Names and numbers are those of tt-metal ({@code api/tt-metalium/buffer_types.hpp}); {@link #code()} is what the
 * allocation server's protocol sends.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public enum BufferType {
    /** Device DRAM outside the trace region. */
    DRAM(Memory.DRAM),
    /** The L1 of the compute cores outside the L1_SMALL region; circular buffers live here too. */
    L1(Memory.L1),
    /** Host memory the device can reach. */
    SYSTEM_MEMORY(Memory.SYSTEM),
    /** The region at the top of every core's L1 that is kept for small sharded buffers. */
    L1_SMALL(Memory.L1),
    /** The region at the top of every DRAM bank that is kept for captured traces. */
    TRACE(Memory.DRAM);

    /** A physical memory: buffers of different types can only overlap inside the same one. */
    public enum Memory {
        /** The DRAM banks. */
        DRAM,
        /** The L1 of the compute cores. */
        L1,
        /** Host memory. */
        SYSTEM
    }

    private final Memory memory;

    BufferType(Memory memory) {
        this.memory = memory;
    }

    /** {@return the physical memory this type is a region of} */
    public Memory memory() {
        return memory;
    }

    /** {@return the number of this type in the runtime and on the wire, 0 to 4} */
    public int code() {
        return ordinal();
    }
}
