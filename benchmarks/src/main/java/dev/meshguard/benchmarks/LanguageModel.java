package dev.meshguard.benchmarks;

import dev.meshguard.event.BufferType;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * The allocations of a language model on eight devices: weights, caches, short-lived activations, a trace.
 *
 * <p>Generated, with the counts of a real run: 49,158 reports of DRAM buffers, 34,250 of L1 buffers, 8 of the trace; 163 and
 * 218 of them remain until the model is dropped.
 *
 * @param <B> the memory's type of a buffer
 */
final class LanguageModel<B> {

    /** The source of the buffers. */
    interface Memory<B> {

        B allocate(int device, BufferType type, String label, long pages);

        void free(B buffer);
    }

    static final int ALLOCATIONS = 49_158 + 34_250 + 8;
    static final int DEVICES = 8;
    /** One trace and what is held for good, at most this many on one device. */
    static final int MAX_LIVE_PER_DEVICE = 64;

    private static final int DRAM_REPORTS = 49_158;
    private static final int L1_REPORTS = 34_250;
    private static final int[] HELD_DRAM = {21, 25, 19, 18, 17, 25, 20, 18};
    private static final int[] HELD_L1 = {28, 27, 27, 27, 28, 27, 27, 27};
    /** Pages of 2 KiB of an average buffer. */
    private static final long DRAM_PAGES = 820;

    private static final long L1_PAGES = 94;
    private static final long TRACE_PAGES = 6_105;
    /** How many activations are live at once. */
    private static final int WINDOW = 4;

    private final Memory<B> memory;
    private final List<B> held = new ArrayList<>();

    LanguageModel(Memory<B> memory) {
        this.memory = memory;
    }

    /** Loads the model, decodes, captures a trace and drops everything. */
    void run() {
        hold(BufferType.DRAM, "weights", HELD_DRAM, DRAM_PAGES);
        hold(BufferType.L1, "kv-cache", HELD_L1, L1_PAGES / 10);
        passThrough(BufferType.DRAM, DRAM_REPORTS - sum(HELD_DRAM), DRAM_PAGES);
        passThrough(BufferType.L1, L1_REPORTS - sum(HELD_L1), L1_PAGES);
        for (int device = 0; device < DEVICES; device++) {
            held.add(memory.allocate(device, BufferType.TRACE, "trace", TRACE_PAGES));
        }
        held.forEach(memory::free);
        held.clear();
    }

    private void hold(BufferType type, String label, int[] counts, long pages) {
        for (int device = 0; device < DEVICES; device++) {
            for (int i = 0; i < counts[device]; i++) {
                held.add(memory.allocate(device, type, label, pages));
            }
        }
    }

    private void passThrough(BufferType type, int count, long pages) {
        Deque<B> live = new ArrayDeque<>();
        for (int i = 0; i < count; i++) {
            live.add(memory.allocate(i % DEVICES, type, "activations", pages / 2 + i % pages));
            if (live.size() > WINDOW) {
                memory.free(live.remove());
            }
        }
        live.forEach(memory::free);
    }

    private static int sum(int[] counts) {
        int sum = 0;
        for (int count : counts) {
            sum += count;
        }
        return sum;
    }
}
