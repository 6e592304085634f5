package dev.meshguard.mesh.runtime;

import java.util.ArrayList;
import java.util.List;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The chips a mesh can be made of, with what their memory looks like to the allocator.
 *
 * <p>This is the one table of what is the same for all chips of a kind. Sizes are those of
 * {@code tt_metal/soc_descriptors/{wormhole_b0_80,blackhole_140}_arch.yaml}, alignments those of the HAL
 * ({@code tt_metal/llrt/hal/tt-1xx}), and the end of the fixed L1 map that of {@code dev_mem_map.h}. What differs from product to
 * product is in {@link ClusterType}, what differs from one version of the runtime to the next in {@link RuntimePreset}.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
@SuppressWarnings("ImmutableEnumChecker") // The fields are records of numbers.
public enum Architecture {
    /** Wormhole B0. */
    WORMHOLE_B0("Wormhole B0", new DramBanks(12, 2, 1_073_741_824L, 32), new CoreMemory(1_499_136, 16, 33_120), 32),
    /** Blackhole. */
    BLACKHOLE("Blackhole", new DramBanks(8, 1, 4_278_190_080L, 64), new CoreMemory(1_572_864, 16, 40_448), 64);

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

    /** Returns the number of DRAM banks the allocator sees. */
    public int dramBanks() {
        return dram.count();
    }

    /** Returns for each DRAM bank what is added to an address there: banks that share a channel lie one above the other in it. */
    public List<Long> dramBankOffsets() {
        List<Long> offsets = new ArrayList<>(dram.count());
        for (int bank = 0; bank < dram.count(); bank++) {
            offsets.add(bank % dram.sharingAChannel() * dram.size());
        }
        return offsets;
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

    /** Returns how many indices of circular buffers a core has. */
    public int maxCircularBuffers() {
        return maxCircularBuffers;
    }

    private record DramBanks(int count, int sharingAChannel, long size, long alignment) {}

    private record CoreMemory(long size, long alignment, long fixedMapEnd) {}
}
