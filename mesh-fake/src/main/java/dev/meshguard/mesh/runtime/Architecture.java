package dev.meshguard.mesh.runtime;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The chip architectures of a mesh and the memory layout that the allocator uses for each.
 *
 * <p>This is the single table of the properties that all chips of an architecture share. Sizes are those of {@code
 * tt_metal/soc_descriptors/{wormhole_b0_80,blackhole_140}_arch.yaml}. Alignments are those of the HAL
 * ({@code tt_metal/llrt/hal/tt-1xx}). Properties of a product are in {@link ClusterType}; properties of a runtime version are in
 * {@link RuntimePreset}.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
@SuppressWarnings("ImmutableEnumChecker") // The fields are records of numbers.
public enum Architecture {
    /** Wormhole B0. */
    WORMHOLE_B0("Wormhole B0", new DramBanks(12, 1_073_741_824L, 32), new CoreMemory(1_499_136, 16), 32),
    /** Blackhole. */
    BLACKHOLE("Blackhole", new DramBanks(8, 4_278_190_080L, 64), new CoreMemory(1_572_864, 16), 64);

    private final String description;
    private final DramBanks dram;
    private final CoreMemory l1;
    private final int maxCircularBuffers;

    Architecture(String words, DramBanks dram, CoreMemory l1, int maxCircularBuffers) {
        this.description = words;
        this.dram = dram;
        this.l1 = l1;
        this.maxCircularBuffers = maxCircularBuffers;
    }

    /** Returns the name as a person writes it. */
    public String description() {
        return description;
    }

    /** Returns the number of DRAM banks. */
    public int dramBankCount() {
        return dram.count();
    }

    /** Returns the bytes of a DRAM bank. */
    public long dramBankSize() {
        return dram.size();
    }

    /** Returns the alignment of DRAM addresses, in bytes. */
    public long dramAlignment() {
        return dram.alignment();
    }

    /** Returns the bytes of a compute core's L1. */
    public long l1Size() {
        return l1.size();
    }

    /** Returns the alignment of pages in L1, in bytes. */
    public long l1Alignment() {
        return l1.alignment();
    }

    /** Returns how many indices of circular buffers a core has. */
    public int maxCircularBuffers() {
        return maxCircularBuffers;
    }

    private record DramBanks(int count, long size, long alignment) {}

    private record CoreMemory(long size, long alignment) {}
}
