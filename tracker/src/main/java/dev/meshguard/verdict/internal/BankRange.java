package dev.meshguard.verdict.internal;

import dev.meshguard.event.BufferType;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.BufferGeneration;
import java.util.Comparator;

/**
 * The bytes of each bank of one memory that a buffer covers.
 *
 * @param device the device
 * @param memory the memory of the device
 * @param start the first address
 * @param end the first address behind it, above the start
 */
record BankRange(int device, BufferType.Memory memory, long start, long end) {

    static final Comparator<BankRange> BY_START = Comparator.comparingInt(BankRange::device)
            .thenComparing(BankRange::memory)
            .thenComparingLong(BankRange::start);

    /** Returns the range of a buffer. */
    static BankRange of(BufferGeneration buffer, AllocationHistory history) {
        return of(buffer, buffer.reports().get(0), history);
    }

    /** Returns the range that a report of a buffer named. If nobody knows how far it reaches, only its first byte is sure. */
    static BankRange of(BufferGeneration buffer, BufferGeneration.Report report, AllocationHistory history) {
        long known = report.details().extent().orElse(history.hasFlatAddresses() ? report.size() : 1);
        return new BankRange(
                buffer.device(), buffer.type().memory(), buffer.address(), buffer.address() + Math.max(1, known));
    }

    /** Returns the empty range at another address of the same memory. */
    BankRange from(long address) {
        return new BankRange(device, memory, address, address);
    }

    /** Returns how many bytes both cover; 0 if they do not meet. */
    long common(BankRange other) {
        return device == other.device && memory == other.memory
                ? Math.max(0, Math.min(end, other.end) - Math.max(start, other.start))
                : 0;
    }

    /** Returns whether both have one start and the other does not reach further. */
    boolean beginsWith(BankRange other) {
        return BY_START.compare(this, other) == 0 && end >= other.end;
    }
}
