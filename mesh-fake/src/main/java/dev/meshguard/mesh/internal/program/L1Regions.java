package dev.meshguard.mesh.internal.program;

import dev.meshguard.mesh.allocator.AddressRange;
import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.mesh.buffer.CoreRange;
import java.util.ArrayList;
import java.util.List;

/**
 * The L1 regions of one program's circular buffers on one range of cores, in ascending order.
 *
 * <p>Two regions touch only if one was extended. A gap results from a buffer that had to lie higher on other cores. Not
 * thread-safe. Source: {@code ProgramImpl::CircularBufferAllocator} in {@code tt_metal/impl/program/program.cpp}.
 */
public final class L1Regions {

    private final CoreRange cores;
    private final List<AddressRange> regions = new ArrayList<>();

    L1Regions(CoreRange cores) {
        this.cores = cores;
    }

    CoreRange cores() {
        return cores;
    }

    boolean isEmpty() {
        return regions.isEmpty();
    }

    /** The first address above all regions, or 0 without one. */
    long end() {
        return regions.isEmpty() ? 0 : last().end();
    }

    /**
     * Marks memory at the end of the last region or above it.
     *
     * @param base the start of the first region
     * @throws MeshRuntimeException if the address lies below the end of the last region
     */
    void mark(long address, long size, long base) {
        if (regions.isEmpty()) {
            regions.add(new AddressRange(base, base));
        }
        AddressRange last = last();
        if (address < last.end()) {
            throw new MeshRuntimeException(
                    "Local buffer address %d has to append to last L1 region [%d, %d) or be at a higher address",
                    address, last.start(), last.end());
        }
        if (address == last.end()) {
            regions.set(regions.size() - 1, new AddressRange(last.start(), address + size));
        } else {
            regions.add(new AddressRange(address, address + size));
        }
    }

    private AddressRange last() {
        return regions.get(regions.size() - 1);
    }
}
