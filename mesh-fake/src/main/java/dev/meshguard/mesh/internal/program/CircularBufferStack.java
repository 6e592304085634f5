package dev.meshguard.mesh.internal.program;

import dev.meshguard.mesh.allocator.AddressRange;
import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.mesh.buffer.CoreRange;
import org.jspecify.annotations.Nullable;

/**
 * The stack that the circular buffers of one program form on one range of cores: where it ends, and that each buffer is placed above the
 * last one.
 *
 * <p>Two regions touch only if one was extended. A gap results from a buffer that had to lie higher on other cores. Not
 * thread-safe. Source: {@code ProgramImpl::CircularBufferAllocator} in {@code tt_metal/impl/program/program.cpp}.
 */
public final class CircularBufferStack {

    private final CoreRange cores;
    /** The highest region, the only one that a later buffer can touch. */
    private @Nullable AddressRange last;

    CircularBufferStack(CoreRange cores) {
        this.cores = cores;
    }

    CoreRange cores() {
        return cores;
    }

    boolean isEmpty() {
        return last == null;
    }

    /** The first address above all regions, or 0 without one. */
    long end() {
        return last == null ? 0 : last.end();
    }

    /**
     * Marks memory at the end of the last region or above it.
     *
     * @param base the start of the first region
     * @throws MeshRuntimeException if the address lies below the end of the last region
     */
    void mark(long address, long size, long base) {
        AddressRange below = last == null ? new AddressRange(base, base) : last;
        if (address < below.end()) {
            throw new MeshRuntimeException(
                    "Local buffer address %d has to append to last L1 region [%d, %d) or be at a higher address",
                    address, below.start(), below.end());
        }
        last = new AddressRange(address == below.end() ? below.start() : address, address + size);
    }
}
