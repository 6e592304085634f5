package dev.meshguard.assertions;

import static dev.meshguard.assertions.error.ShouldBeEmptySnapshot.shouldBeEmptySnapshot;
import static dev.meshguard.assertions.error.ShouldHaveAmount.shouldHaveBytes;
import static dev.meshguard.assertions.error.ShouldHaveAmount.shouldHaveCount;
import static dev.meshguard.assertions.error.ShouldNotHaveGrown.shouldNotHaveGrown;

import dev.meshguard.event.BufferType;
import dev.meshguard.history.MemorySnapshot;
import java.util.Locale;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Assertions about the memory allocated at one moment, or about the change between two.
 *
 * <p>A snapshot contains amounts but no generations, so it cannot distinguish a leak from a buffer in use; use a
 * tracker for that.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class SnapshotAssert extends MemoryAssert<SnapshotAssert, MemorySnapshot> {

    SnapshotAssert(MemorySnapshot actual, FailureSink sink) {
        super(actual, SnapshotAssert.class, sink);
    }

    /** Starts assertions about a snapshot. */
    public static SnapshotAssert assertThat(MemorySnapshot actual) {
        return new SnapshotAssert(actual, FailureSink.throwing());
    }

    /**
     * Verifies that nothing is allocated, or that nothing changed.
     *
     * <pre>{@code
     * MemorySnapshot before = tracker.snapshot();
     * assertThat(tracker.snapshot().minus(before)).isEmpty(); // succeeds
     *
     * tracker.allocated(0, BufferType.DRAM, 4096, 64);
     * assertThat(tracker.snapshot().minus(before)).isEmpty(); // fails
     * }</pre>
     *
     * @throws AssertionError if anything is, or changed
     */
    public SnapshotAssert isEmpty() {
        isNotNull();
        if (!actual.isEmpty()) {
            return failed(shouldBeEmptySnapshot(actual));
        }
        return myself;
    }

    /**
     * Verifies that no memory, by device, type and lifetime, holds more than at an earlier moment; less is allowed.
     *
     * <pre>{@code
     * MemorySnapshot before = tracker.snapshot();
     * decode(tokens);
     * assertThat(tracker.snapshot()).hasNotGrownSince(before); // succeeds if decode freed what it allocated
     * assertThat(tracker.snapshot()).hasNotGrownSince(before); // fails if it kept a buffer
     * }</pre>
     *
     * @throws AssertionError if any does
     */
    public SnapshotAssert hasNotGrownSince(MemorySnapshot earlier) {
        isNotNull();
        MemorySnapshot difference = actual.minus(earlier);
        if (difference.amounts().values().stream().anyMatch(amount -> amount.bytes() > 0 || amount.buffers() > 0)) {
            return failed(shouldNotHaveGrown(difference));
        }
        return myself;
    }

    /**
     * Verifies the bytes of one type on one device.
     *
     * <pre>{@code
     * tracker.allocated(0, BufferType.DRAM, 4096, 64);
     * assertThat(tracker.snapshot()).hasBytes(BufferType.DRAM, 0, 64); // succeeds
     * assertThat(tracker.snapshot()).hasBytes(BufferType.DRAM, 0, 65); // fails
     * }</pre>
     *
     * @throws AssertionError if the number differs
     */
    public SnapshotAssert hasBytes(BufferType type, int device, long bytes) {
        isNotNull();
        long found = actual.bytes(device, type);
        if (found != bytes) {
            return failed(shouldHaveBytes(
                    String.format(Locale.ROOT, "bytes of %s on device %d", type, device), bytes, found, actual));
        }
        return myself;
    }

    /**
     * Verifies the number of buffers of all devices and types.
     *
     * <pre>{@code
     * tracker.allocated(0, BufferType.DRAM, 4096, 64);
     * assertThat(tracker.snapshot()).hasBuffers(1); // succeeds
     * assertThat(tracker.snapshot()).hasBuffers(0); // fails
     * }</pre>
     *
     * @throws AssertionError if the number differs
     */
    public SnapshotAssert hasBuffers(long buffers) {
        isNotNull();
        if (actual.buffers() != buffers) {
            return failed(shouldHaveCount("buffers on all devices", buffers, actual.buffers(), actual));
        }
        return myself;
    }
}
