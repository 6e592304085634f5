package dev.meshguard.mesh.buffer;

import dev.meshguard.mesh.allocator.MeshRuntimeException;
import java.util.List;
import java.util.Locale;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The mapping of bank numbers to the compute cores whose L1 they are.
 *
 * <p>The runtime distributes the bank numbers in a fixed pseudo-random order, so that consecutive pages of an interleaved
 * buffer do not go to neighbouring cores. It shuffles them with {@code std::shuffle} and {@code std::default_random_engine(0)}.
 * The C++ library defines the result of these two. This class uses the order of libstdc++, with which the runtime is built by
 * default.
 *
 * <p>Immutable and safe for use by several threads. Source: {@code init_compute_and_storage_l1_bank_manager} in
 * {@code tt_metal/impl/allocator/l1_banking_allocator.cpp}.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class L1Banks {

    private final List<CoreCoord> cores;
    private final int[] bankOfCore;
    private final int[] coreOfBank;

    private L1Banks(List<CoreCoord> cores) {
        this.cores = cores;
        this.bankOfCore = ShuffledNumbers.upTo(cores.size());
        this.coreOfBank = new int[bankOfCore.length];
        for (int core = 0; core < bankOfCore.length; core++) {
            coreOfBank[bankOfCore[core]] = core;
        }
    }

    /** Returns the banks of a grid of compute cores. */
    public static L1Banks of(CoreRange computeGrid) {
        return new L1Banks(computeGrid.cores());
    }

    /** Returns the number of banks, equal to the number of cores. */
    public int numBanks() {
        return cores.size();
    }

    /**
     * Returns the core whose L1 is a bank.
     *
     * @throws IllegalArgumentException if there is no such bank
     */
    public CoreCoord coreOf(int bank) {
        if (bank < 0 || bank >= coreOfBank.length) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT, "There is no L1 bank %d: banks count from 0 to %d", bank, coreOfBank.length - 1));
        }
        return cores.get(coreOfBank[bank]);
    }

    /**
     * Returns the bank that the L1 of a core is.
     *
     * @throws MeshRuntimeException if the core does not compute
     */
    public int bankOf(CoreCoord core) {
        int index = cores.indexOf(core);
        if (index < 0) {
            throw new MeshRuntimeException(BufferMessages.noBankForCore("L1", core));
        }
        return bankOfCore[index];
    }
}
