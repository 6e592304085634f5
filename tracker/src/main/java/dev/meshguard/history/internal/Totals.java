package dev.meshguard.history.internal;

import dev.meshguard.event.BufferType;
import dev.meshguard.history.MemoryTotals;
import org.jspecify.annotations.Nullable;

/** Live, peak and total memory of one device by type, added up as reports arrive. Guarded by the owner's lock. */
final class Totals {

    /** By type; null if there was no such memory. */
    private final @Nullable Sum[] sums = new @Nullable Sum[BufferType.values().length];

    /** The sum of one type. */
    private static final class Sum {
        private long totalBytes;
        private long totalBuffers;
        private long freedBytes;
        private long freedBuffers;
        private long peakBytes;
        private long peakBuffers;
        private long repeatedReports;

        private void allocated(int buffers, long bytes) {
            totalBytes += bytes;
            totalBuffers += buffers;
            if (totalBytes - freedBytes > peakBytes) {
                peakBytes = totalBytes - freedBytes;
            }
            if (totalBuffers - freedBuffers > peakBuffers) {
                peakBuffers = totalBuffers - freedBuffers;
            }
        }

        private void freed(long bytes) {
            freedBytes += bytes;
            freedBuffers++;
        }

        private MemoryTotals read() {
            long liveBuffers = totalBuffers - freedBuffers;
            return new MemoryTotals(
                    totalBytes - freedBytes,
                    liveBuffers,
                    liveBuffers + repeatedReports,
                    peakBytes,
                    peakBuffers,
                    totalBytes,
                    totalBuffers);
        }
    }

    void allocated(BufferType type, long size) {
        sum(type).allocated(1, size);
    }

    void resized(BufferType type, long change) {
        sum(type).allocated(0, change);
    }

    /** Counts reports of live entries beyond the first; a negative number if some were freed. */
    void repeated(BufferType type, int reports) {
        sum(type).repeatedReports += reports;
    }

    void freed(BufferType type, long size) {
        sum(type).freed(size);
    }

    /** Returns the sums of one type. */
    MemoryTotals of(BufferType type) {
        Sum known = sums[type.ordinal()];
        return known == null ? MemoryTotals.NOTHING : known.read();
    }

    private Sum sum(BufferType type) {
        Sum known = sums[type.ordinal()];
        if (known == null) {
            known = new Sum();
            sums[type.ordinal()] = known;
        }
        return known;
    }
}
