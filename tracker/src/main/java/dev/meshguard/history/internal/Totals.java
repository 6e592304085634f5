package dev.meshguard.history.internal;

import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.MemoryTotals;

/**
 * Live, peak and total memory of one device, added up as reports arrive.
 *
 * <p>A total holds the allocated and the freed memory; live memory is the difference. Guarded by the owner's lock.
 */
public final class Totals extends CacheLinePadded {

    private static final int CAME_BYTES = 0;
    private static final int CAME_BUFFERS = 1;
    private static final int WENT_BYTES = 2;
    private static final int WENT_BUFFERS = 3;
    private static final int PEAK_BYTES = 4;
    private static final int PEAK_BUFFERS = 5;
    private static final int REPEATED_REPORTS = 6;
    /** One cache line, so that two totals do not share one. */
    private static final int TOTAL_STRIDE = 8;

    private static final int LIFETIMES = BufferLifetime.values().length;
    /** The totals of each lifetime are followed by that of the whole type. */
    private static final int TOTALS_OF_TYPE = LIFETIMES + 1;

    private final long[] totals;

    Totals() {
        this(new long[BufferType.values().length * TOTALS_OF_TYPE * TOTAL_STRIDE]);
    }

    private Totals(long[] accounts) {
        this.totals = accounts;
    }

    Totals copy() {
        return new Totals(totals.clone());
    }

    void allocated(BufferType type, BufferLifetime lifetime, long size) {
        add(offsetOf(type, lifetime.ordinal()), size);
        add(offsetOf(type, LIFETIMES), size);
    }

    void resized(BufferType type, BufferLifetime lifetime, long change) {
        addBytes(offsetOf(type, lifetime.ordinal()), change);
        addBytes(offsetOf(type, LIFETIMES), change);
    }

    void reportedAgain(BufferType type, BufferLifetime lifetime) {
        totals[offsetOf(type, lifetime.ordinal()) + REPEATED_REPORTS]++;
        totals[offsetOf(type, LIFETIMES) + REPEATED_REPORTS]++;
    }

    void oneReportLess(BufferType type, BufferLifetime lifetime) {
        totals[offsetOf(type, lifetime.ordinal()) + REPEATED_REPORTS]--;
        totals[offsetOf(type, LIFETIMES) + REPEATED_REPORTS]--;
    }

    void freed(BufferType type, BufferLifetime lifetime, long size) {
        subtract(offsetOf(type, lifetime.ordinal()), size);
        subtract(offsetOf(type, LIFETIMES), size);
    }

    /** Returns the sums of one type. */
    public MemoryTotals of(BufferType type) {
        return read(offsetOf(type, LIFETIMES));
    }

    /** Returns the sums of one type and lifetime. */
    public MemoryTotals of(BufferType type, BufferLifetime lifetime) {
        return read(offsetOf(type, lifetime.ordinal()));
    }

    private static int offsetOf(BufferType type, int which) {
        return (type.ordinal() * TOTALS_OF_TYPE + which) * TOTAL_STRIDE;
    }

    private void add(int at, long size) {
        long[] all = totals;
        long bytes = (all[at + CAME_BYTES] += size) - all[at + WENT_BYTES];
        long buffers = ++all[at + CAME_BUFFERS] - all[at + WENT_BUFFERS];
        if (bytes > all[at + PEAK_BYTES]) {
            all[at + PEAK_BYTES] = bytes;
        }
        if (buffers > all[at + PEAK_BUFFERS]) {
            all[at + PEAK_BUFFERS] = buffers;
        }
    }

    private void addBytes(int at, long change) {
        long bytes = (totals[at + CAME_BYTES] += change) - totals[at + WENT_BYTES];
        totals[at + PEAK_BYTES] = Math.max(totals[at + PEAK_BYTES], bytes);
    }

    private void subtract(int at, long size) {
        totals[at + WENT_BYTES] += size;
        totals[at + WENT_BUFFERS]++;
    }

    private MemoryTotals read(int at) {
        long liveBuffers = totals[at + CAME_BUFFERS] - totals[at + WENT_BUFFERS];
        return new MemoryTotals(
                totals[at + CAME_BYTES] - totals[at + WENT_BYTES],
                liveBuffers,
                liveBuffers + totals[at + REPEATED_REPORTS],
                totals[at + PEAK_BYTES],
                totals[at + PEAK_BUFFERS],
                totals[at + CAME_BYTES],
                totals[at + CAME_BUFFERS]);
    }
}
