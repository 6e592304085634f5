package dev.meshguard.mesh.runtime;

import dev.meshguard.event.CircularBufferBase;
import dev.meshguard.text.InvariantText;
import java.util.Map;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * A version of the runtime, with its properties that do not depend on the hardware.
 *
 * <p>Base addresses change when the runtime reserves more or less memory for itself, for example for the profiler.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
@SuppressWarnings("ImmutableEnumChecker") // The map is one of Map.of.
public enum RuntimePreset {
    /**
     * The allocation-tracking branch of October 2025 (tt-metal {@code 83d21905404187e13713ec75698ed1459e4c1ab0}).
     *
     * <p>Bases are those in the logs of its {@code test_mesh_allocation.py}, which are available for Wormhole B0 only. Reports
     * about a whole mesh appear under device 0. The real runtime uses the number of the mesh, which is 0 in a new process.
     */
    OCTOBER_2025(
            "October 2025",
            Map.of(Architecture.WORMHOLE_B0, new Bases(2_560_032, CircularBufferBase.WORMHOLE_B0_OCTOBER_2025)),
            ReportingModel.TRACKING_BRANCH,
            true,
            4_096,
            Long.MAX_VALUE),
    /**
     * The main branch of May 2026 (tt-metal {@code 79925a3f05fa5d970f4ae3c837aa32ca09f13eaf}), built with Tracy as is the default.
     *
     * <p>Bases are those of {@code tt_metal/llrt/hal/tt-1xx/{wormhole/wh,blackhole/bh}_hal.cpp} with its profiler area, and the L1
     * map with the default area for kernel configurations.
     */
    MAY_2026(
            "May 2026",
            Map.of(
                    Architecture.WORMHOLE_B0, new Bases(2_968_640, CircularBufferBase.WORMHOLE_B0_MAY_2026),
                    Architecture.BLACKHOLE, new Bases(5_848_704, CircularBufferBase.BLACKHOLE_MAY_2026)),
            ReportingModel.COMPLETE,
            false,
            8_192,
            2);

    private final String description;
    private final Map<Architecture, Bases> bases;
    private final ReportingModel reporting;
    private final boolean meshLevelReportsPinned;
    private final long maxTracePageSize;
    /** So many rows of pages over all banks justify a larger page, whatever it wastes. */
    private final long rowsThatJustifyALargerPage;

    RuntimePreset(
            String words,
            Map<Architecture, Bases> bases,
            ReportingModel reporting,
            boolean meshLevelReportsPinned,
            long maxTracePageSize,
            long rowsThatJustifyALargerPage) {
        this.description = words;
        this.bases = bases;
        this.reporting = reporting;
        this.meshLevelReportsPinned = meshLevelReportsPinned;
        this.maxTracePageSize = maxTracePageSize;
        this.rowsThatJustifyALargerPage = rowsThatJustifyALargerPage;
    }

    /** Returns the name as a person writes it. */
    public String description() {
        return description;
    }

    /** Returns whether this version has the constants of an architecture. */
    public boolean supports(Architecture architecture) {
        return bases.containsKey(architecture);
    }

    /**
     * Returns the first address of a DRAM bank that may be allocated.
     *
     * @throws IllegalArgumentException if the version does not support the architecture
     */
    public long dramUnreservedBase(Architecture architecture) {
        return basesOf(architecture).dram();
    }

    /**
     * Returns the first address of L1 that may be allocated with the default worker L1 size.
     *
     * @throws IllegalArgumentException if the version does not support the architecture
     */
    public long l1UnreservedBase(Architecture architecture) {
        return basesOf(architecture).l1().address();
    }

    /** Returns the reporting model of this version. */
    public ReportingModel reporting() {
        return reporting;
    }

    /**
     * Returns the page size of a captured trace; the trace buffer is the raw size, rounded up to it.
     *
     * <p>Source: {@code tt_metal/impl/trace/dispatch.cpp}.
     *
     * @param rawSize the bytes of the trace
     * @param dramBanks the number of DRAM banks it is spread over
     */
    public long tracePageSize(long rawSize, int dramBanks) {
        long best = 1_024;
        for (long page = 2_048; page <= maxTracePageSize; page *= 2) {
            boolean wastesLess = waste(rawSize, dramBanks, page) <= waste(rawSize, dramBanks, best);
            if (wastesLess || rawSize / (dramBanks * page) >= rowsThatJustifyALargerPage) {
                best = page;
            }
        }
        return best;
    }

    /**
     * Returns whether a mesh without a trace region keeps traces in DRAM. Before February 2026 such a mesh could not keep any
     * (#36999).
     */
    public boolean keepsTracesWithoutRegion() {
        return this != OCTOBER_2025;
    }

    /** Returns the device under which reports about a whole mesh appear. */
    public int meshLevelDevice(int meshId) {
        return meshLevelReportsPinned ? 0 : meshId;
    }

    private Bases basesOf(Architecture architecture) {
        Bases known = bases.get(architecture);
        if (known == null) {
            throw new IllegalArgumentException(InvariantText.of(
                    "The %s preset knows no %s: its constants were never seen. Use RuntimePreset.MAY_2026 for %s.",
                    description, architecture.description(), architecture.description()));
        }
        return known;
    }

    private static long waste(long rawSize, int dramBanks, long page) {
        long row = dramBanks * page;
        return (rawSize + row - 1) / row * row - rawSize;
    }

    private record Bases(long dram, CircularBufferBase l1) {}
}
