package dev.meshguard.event;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The memory that a buffer occupies.
 *
 * <p>Names and numbers are those of tt-metal ({@code api/tt-metalium/buffer_types.hpp}). The allocation server's
 * protocol sends {@link #code()}.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public enum BufferType {
    /** Device DRAM outside the trace region. */
    DRAM(Memory.DRAM),
    /** The L1 of the compute cores outside the L1_SMALL region, circular buffers included. */
    L1(Memory.L1),
    /** Host memory that the device can access. */
    SYSTEM_MEMORY(Memory.SYSTEM),
    /** The region at the top of every core's L1 that is reserved for small sharded buffers. */
    L1_SMALL(Memory.L1),
    /** The region at the top of every DRAM bank that is reserved for captured traces. */
    TRACE(Memory.DRAM);

    /** A physical memory. Buffers of different types can overlap only in the same physical memory. */
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

    /** {@return the physical memory that contains this type} */
    public Memory memory() {
        return memory;
    }

    /** {@return the number of this type in the runtime and in the protocol, 0 to 4} */
    public int code() {
        return ordinal();
    }
}
