package dev.meshguard.history.internal;

import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.MemoryTotals;
import org.jspecify.annotations.Nullable;

/** Live, peak and total memory of one device by type and lifetime, added up as reports arrive. Guarded by the owner's lock. */
final class Totals {

    private static final int LIFETIMES = BufferLifetime.values().length;

    /** For each type the sums of its lifetimes, then the sum of the whole type; null if there was no such memory. */
    private final @Nullable Sum[] sums = new @Nullable Sum[BufferType.values().length * (LIFETIMES + 1)];

    /** The sum of one type, or of one type and lifetime. */
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

    void allocated(BufferType type, BufferLifetime lifetime, long size) {
        sum(type, lifetime.ordinal()).allocated(1, size);
        sum(type, LIFETIMES).allocated(1, size);
    }

    void resized(BufferType type, BufferLifetime lifetime, long change) {
        sum(type, lifetime.ordinal()).allocated(0, change);
        sum(type, LIFETIMES).allocated(0, change);
    }

    /** Counts reports of live entries beyond the first; a negative number if some were freed. */
    void repeated(BufferType type, BufferLifetime lifetime, int reports) {
        sum(type, lifetime.ordinal()).repeatedReports += reports;
        sum(type, LIFETIMES).repeatedReports += reports;
    }

    void freed(BufferType type, BufferLifetime lifetime, long size) {
        sum(type, lifetime.ordinal()).freed(size);
        sum(type, LIFETIMES).freed(size);
    }

    /** Returns the sums of one type. */
    MemoryTotals of(BufferType type) {
        return read(type, LIFETIMES);
    }

    /** Returns the sums of one type and lifetime. */
    MemoryTotals of(BufferType type, BufferLifetime lifetime) {
        return read(type, lifetime.ordinal());
    }

    private MemoryTotals read(BufferType type, int which) {
        Sum known = sums[indexOf(type, which)];
        return known == null ? MemoryTotals.NOTHING : known.read();
    }

    private Sum sum(BufferType type, int which) {
        int index = indexOf(type, which);
        Sum known = sums[index];
        if (known == null) {
            known = new Sum();
            sums[index] = known;
        }
        return known;
    }

    private static int indexOf(BufferType type, int which) {
        return type.ordinal() * (LIFETIMES + 1) + which;
    }
}
