package dev.meshguard.mesh.runtime;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The chips a mesh can be made of, with what their memory looks like to the allocator.
 *
 * <p>This is the one table of hardware constants. Sizes are those of
 * {@code tt_metal/soc_descriptors/{wormhole_b0_80,blackhole_140}_arch.yaml}, alignments and the number of circular buffers those of
 * the HAL ({@code tt_metal/llrt/hal/tt-1xx}), the end of the fixed L1 map that of {@code dev_mem_map.h}, and the grids those of
 * {@code tt_metal/core_descriptors}. What differs from one version of the runtime to the next is in {@link RuntimePreset}.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
@SuppressWarnings("ImmutableEnumChecker") // The fields are records of numbers.
public enum Architecture {
    /** Wormhole B0 as in a T3000, which dispatches on Ethernet cores and so leaves all 8 x 8 cores to compute. */
    WORMHOLE_B0(
            "Wormhole B0",
            new DramBanks(12, 1_073_741_824L, 32),
            new CoreMemory(1_499_136, 16, 33_120),
            new CoreGrid(8, 8),
            32),
    /** Blackhole as in a system of eight P150, which dispatches on a column of Tensix cores: 13 x 10 are left to compute. */
    BLACKHOLE(
            "Blackhole",
            new DramBanks(8, 4_278_190_080L, 64),
            new CoreMemory(1_572_864, 16, 40_448),
            new CoreGrid(13, 10),
            64);

    private final String words;
    private final DramBanks dram;
    private final CoreMemory l1;
    private final CoreGrid grid;
    private final int maxCircularBuffers;

    Architecture(String words, DramBanks dram, CoreMemory l1, CoreGrid grid, int maxCircularBuffers) {
        this.words = words;
        this.dram = dram;
        this.l1 = l1;
        this.grid = grid;
        this.maxCircularBuffers = maxCircularBuffers;
    }

    /** Returns the name as a person writes it. */
    public String words() {
        return words;
    }

    /** Returns the number of DRAM banks the allocator sees. */
    public int dramBanks() {
        return dram.count();
    }

    /** Returns the bytes of a DRAM bank. */
    public long dramBankSize() {
        return dram.size();
    }

    /** Returns what DRAM addresses are a multiple of, in bytes. */
    public long dramAlignment() {
        return dram.alignment();
    }

    /** Returns the bytes of a compute core's L1. */
    public long l1Size() {
        return l1.size();
    }

    /** Returns what pages in L1 are a multiple of, in bytes. */
    public long l1Alignment() {
        return l1.alignment();
    }

    /** Returns the largest part of a core's L1 that can be given to a worker: all but the fixed map. */
    public long maxWorkerL1Size() {
        return l1.size() - l1.fixedMapEnd();
    }

    /** Returns the number of columns of the grid of compute cores. */
    public int gridWidth() {
        return grid.width();
    }

    /** Returns the number of rows of the grid of compute cores. */
    public int gridHeight() {
        return grid.height();
    }

    /** Returns the number of L1 banks: one for each compute core. */
    public int l1Banks() {
        return grid.width() * grid.height();
    }

    /** Returns how many indices of circular buffers a core has. */
    public int maxCircularBuffers() {
        return maxCircularBuffers;
    }

    private record DramBanks(int count, long size, long alignment) {}

    private record CoreMemory(long size, long alignment, long fixedMapEnd) {}

    private record CoreGrid(int width, int height) {}
}
