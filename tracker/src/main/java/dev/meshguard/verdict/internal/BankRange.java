package dev.meshguard.verdict.internal;

import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.BufferGeneration;

/**
 * The bytes of each bank that a buffer covers.
 *
 * @param start the first address
 * @param end the first address behind it, above the start
 */
record BankRange(long start, long end) {

    /** Returns the range of a buffer. */
    static BankRange of(BufferGeneration buffer, AllocationHistory history) {
        return of(buffer, buffer.reports().get(0), history);
    }

    /** Returns the range that a report of a buffer named. If nobody knows how far it reaches, only its first byte is sure. */
    static BankRange of(BufferGeneration buffer, BufferGeneration.Report report, AllocationHistory history) {
        long known = report.request().details().extent().orElse(history.hasFlatAddresses() ? report.size() : 1);
        return new BankRange(buffer.address(), buffer.address() + Math.max(1, known));
    }

    /** Returns how many bytes both cover; 0 or less if they do not meet. */
    long common(BankRange other) {
        return Math.min(end, other.end) - Math.max(start, other.start);
    }
}
