package dev.meshguard.capture.internal;

import dev.meshguard.event.Quantities;

/**
 * When a process recorded, by the clock of its machine.
 *
 * @param start the beginning, in nanoseconds since the epoch
 * @param end the end
 */
record CaptureTime(long start, long end) {

    static CaptureTime of(long start, long duration) {
        return new CaptureTime(start, Quantities.saturatedSum(start, duration));
    }

    boolean overlaps(CaptureTime other) {
        return start <= other.end && other.start <= end;
    }
}
