package dev.meshguard.samples.support;

import dev.meshguard.event.BufferType;
import dev.meshguard.mesh.Buffer;
import dev.meshguard.mesh.MeshBuffer;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.buffer.BufferConfig;
import dev.meshguard.mesh.runtime.RuntimePreset;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;

/**
 * A generated workload with the counts and totals of seed 001's language-model run on eight devices.
 *
 * <p>It is generated: no model runs. The seed gives how many buffers of which type were allocated, their bytes, and what each
 * device still had allocated at the end; uneven devices cannot come from mesh buffers, so everything but the trace is made of
 * single-device buffers. The labels are what this code calls its buffers, not an inference.
 */
public final class LanguageModelRun {

    /** Seed 001: "what these buffers are" has to be said by the code that allocates them. */
    public static final String WEIGHTS = "weights";

    /** The caches of keys and values. */
    public static final String KV_CACHE = "kv-cache";

    /** What a layer hands to the next. */
    public static final String ACTIVATIONS = "activations";

    private static final int DEVICES = 8;
    private static final long PAGE = 2_048;
    private static final double PAGES_PER_MIB = 512;
    private static final long RAW_TRACE = 12_502_000;
    /** How many activations are live at once. */
    private static final int WINDOW = 4;

    private static final int DRAM_REPORTS = 49_158;
    private static final double DRAM_MIB = 78_760.91;
    private static final int L1_REPORTS = 34_250;
    private static final double L1_MIB = 6_344.74;

    private static final int[] HELD_DRAM = {21, 25, 19, 18, 17, 25, 20, 18};
    private static final double[] HELD_DRAM_MIB = {19.43, 59.83, 24.79, 8.77, 8.16, 67.30, 158.31, 8.78};
    private static final int[] HELD_L1 = {28, 27, 27, 27, 28, 27, 27, 27};
    private static final double[] HELD_L1_MIB = {6.14, 5.94, 6.00, 6.42, 5.72, 5.93, 5.94, 6.38};

    private final MeshDevice mesh;
    private final List<Buffer> weights = new ArrayList<>();
    private final List<Buffer> caches = new ArrayList<>();
    private final List<MeshBuffer> traces = new ArrayList<>();

    /** Prepares the run; nothing is allocated yet. */
    public LanguageModelRun(MeshDevice mesh) {
        this.mesh = mesh;
    }

    /** Runs everything up to the clean-up. */
    public void run() {
        loadModel();
        decode();
        captureTrace();
    }

    /** Loads the weights into DRAM and sets up the caches in L1. */
    public void loadModel() {
        hold(BufferType.DRAM, WEIGHTS, HELD_DRAM, HELD_DRAM_MIB, weights::add);
        hold(BufferType.L1, KV_CACHE, HELD_L1, HELD_L1_MIB, caches::add);
    }

    /** Decodes: every activation is freed a few steps after it was made. */
    public void decode() {
        passThrough(BufferType.DRAM, DRAM_REPORTS - weights.size(), pages(DRAM_MIB) - pagesOf(HELD_DRAM_MIB));
        passThrough(BufferType.L1, L1_REPORTS - caches.size(), pages(L1_MIB) - pagesOf(HELD_L1_MIB));
    }

    /** Captures the decode step as a trace: one buffer over the whole mesh. */
    public void captureTrace() {
        long page = RuntimePreset.OCTOBER_2025.tracePageSize(RAW_TRACE, 12);
        long padded = (RAW_TRACE + page - 1) / page * page;
        traces.add(mesh.allocate(BufferConfig.of(BufferType.TRACE, padded, page).named("decode trace")));
    }

    /** Releases the trace, as the clean-up of the real run does. */
    public void releaseTrace() {
        traces.forEach(MeshBuffer::deallocate);
        traces.clear();
    }

    /** Drops weights and caches, as the end of the test function does in the real run. */
    public void dropModel() {
        weights.forEach(Buffer::deallocate);
        caches.forEach(Buffer::deallocate);
        weights.clear();
        caches.clear();
    }

    private void hold(BufferType type, String label, int[] counts, double[] mib, Consumer<Buffer> holder) {
        for (int device = 0; device < DEVICES; device++) {
            long left = pages(mib[device]);
            for (int remaining = counts[device]; remaining > 0; remaining--) {
                long pages = left / remaining;
                holder.accept(allocate(device, type, label, pages));
                left -= pages;
            }
        }
    }

    private void passThrough(BufferType type, int count, long pages) {
        Deque<Buffer> live = new ArrayDeque<>();
        long left = pages;
        for (int remaining = count; remaining > 0; remaining--) {
            long size = left / remaining;
            live.add(allocate(remaining % DEVICES, type, ACTIVATIONS, size));
            left -= size;
            if (live.size() > WINDOW) {
                live.remove().deallocate();
            }
        }
        live.forEach(Buffer::deallocate);
    }

    private Buffer allocate(int device, BufferType type, String label, long pages) {
        return mesh.allocateOn(device, BufferConfig.of(type, pages * PAGE, PAGE).named(label));
    }

    private static long pages(double mib) {
        return Math.round(mib * PAGES_PER_MIB);
    }

    private static long pagesOf(double[] mib) {
        long pages = 0;
        for (double one : mib) {
            pages += pages(one);
        }
        return pages;
    }
}
