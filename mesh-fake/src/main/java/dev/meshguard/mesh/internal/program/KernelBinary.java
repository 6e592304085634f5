package dev.meshguard.mesh.internal.program;

import dev.meshguard.event.BufferType;
import dev.meshguard.mesh.allocator.AllocationDirection;
import dev.meshguard.mesh.buffer.BufferConfig;

/** The memory of a kernel binary: DRAM from the top, away from the buffers that grow from the bottom. */
public final class KernelBinary {

    /** The bytes of a page: {@code HostMemDeviceCommand::PROGRAM_PAGE_SIZE}. */
    public static final long PAGE_SIZE = 2_048;

    private KernelBinary() {}

    /** Returns the configuration of the buffer of a binary. */
    public static BufferConfig ofSize(long size) {
        return BufferConfig.of(BufferType.DRAM, size, PAGE_SIZE).inDirection(AllocationDirection.TOP_DOWN);
    }
}
