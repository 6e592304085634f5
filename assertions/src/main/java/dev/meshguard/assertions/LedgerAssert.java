package dev.meshguard.assertions;

import static dev.meshguard.assertions.error.ShouldBeEmptyLedger.shouldBeEmptyLedger;
import static dev.meshguard.assertions.error.ShouldHaveAmount.shouldHaveBytes;
import static dev.meshguard.assertions.error.ShouldHaveAmount.shouldHaveCount;

import dev.meshguard.event.BufferType;
import dev.meshguard.history.PolicyLedger;
import java.util.Locale;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Assertions about the sums of the reports of a history under one counting policy.
 *
 * <p>Reports are allocations minus frees, entries are the addresses now in the ledger.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class LedgerAssert extends MemoryAssert<LedgerAssert, PolicyLedger> {

    LedgerAssert(PolicyLedger actual, FailureSink sink) {
        super(actual, LedgerAssert.class, sink);
    }

    /** Starts assertions about a ledger. */
    public static LedgerAssert assertThat(PolicyLedger actual) {
        return new LedgerAssert(actual, FailureSink.throwing());
    }

    /**
     * Verifies that the ledger is empty.
     *
     * <pre>{@code
     * tracker.allocated(0, BufferType.DRAM, 4096, 64);
     * tracker.freed(0, BufferType.DRAM, 4096);
     * assertThat(tracker.history().ledger(CountingPolicy.REFERENCE_COUNTED)).isEmpty(); // succeeds
     *
     * tracker.allocated(0, BufferType.DRAM, 4096, 64);
     * assertThat(tracker.history().ledger(CountingPolicy.REFERENCE_COUNTED)).isEmpty(); // fails
     * }</pre>
     *
     * @throws AssertionError if it contains an entry, a report or a byte
     */
    public LedgerAssert isEmpty() {
        isNotNull();
        if (actual.entries() != 0 || hasReports() || hasBytes()) {
            return failed(shouldBeEmptyLedger(actual));
        }
        return myself;
    }

    /**
     * Verifies the bytes of one type on one device.
     *
     * <pre>{@code
     * tracker.allocated(0, BufferType.DRAM, 4096, 64);
     * tracker.allocated(0, BufferType.DRAM, 4096, 64);
     * assertThat(tracker).ledger(CountingPolicy.EVERY_REPORT).hasBytes(BufferType.DRAM, 0, 128); // succeeds
     * assertThat(tracker).ledger(CountingPolicy.REFERENCE_COUNTED).hasBytes(BufferType.DRAM, 0, 128); // fails: 64
     * }</pre>
     *
     * @throws AssertionError if the number differs
     */
    public LedgerAssert hasBytes(BufferType type, int device, long bytes) {
        isNotNull();
        return verifyBytes(
                String.format(Locale.ROOT, "bytes of %s on device %d", type, device),
                bytes,
                actual.bytes(device, type));
    }

    /**
     * Verifies the bytes of one type on all devices.
     *
     * <pre>{@code
     * tracker.allocated(0, BufferType.DRAM, 4096, 64);
     * tracker.allocated(1, BufferType.DRAM, 4096, 64);
     * assertThat(tracker).ledger(CountingPolicy.REFERENCE_COUNTED).hasBytes(BufferType.DRAM, 128); // succeeds
     * assertThat(tracker).ledger(CountingPolicy.REFERENCE_COUNTED).hasBytes(BufferType.DRAM, 64); // fails
     * }</pre>
     *
     * @throws AssertionError if the number differs
     */
    public LedgerAssert hasBytes(BufferType type, long bytes) {
        isNotNull();
        return verifyBytes(String.format(Locale.ROOT, "bytes of %s on all devices", type), bytes, actual.bytes(type));
    }

    /**
     * Verifies the maximum number of bytes of one type in the ledger for one device.
     *
     * <pre>{@code
     * tracker.allocated(0, BufferType.DRAM, 4096, 64);
     * tracker.freed(0, BufferType.DRAM, 4096);
     * assertThat(tracker).ledger(CountingPolicy.REFERENCE_COUNTED).hasPeakBytes(BufferType.DRAM, 0, 64); // succeeds
     * assertThat(tracker).ledger(CountingPolicy.REFERENCE_COUNTED).hasPeakBytes(BufferType.DRAM, 0, 0); // fails
     * }</pre>
     *
     * @throws AssertionError if the number differs
     */
    public LedgerAssert hasPeakBytes(BufferType type, int device, long bytes) {
        isNotNull();
        return verifyBytes(
                String.format(Locale.ROOT, "peak bytes of %s on device %d", type, device),
                bytes,
                actual.peakBytes(device, type));
    }

    /**
     * Verifies the reported allocations minus the reported frees of all devices.
     *
     * <pre>{@code
     * tracker.allocated(0, BufferType.DRAM, 4096, 64);
     * tracker.allocated(0, BufferType.DRAM, 4096, 64);
     * assertThat(tracker).ledger(CountingPolicy.REFERENCE_COUNTED).hasReports(2); // succeeds
     * assertThat(tracker).ledger(CountingPolicy.ONCE_PER_ADDRESS).hasReports(2); // fails: 1
     * }</pre>
     *
     * @throws AssertionError if the number differs
     */
    public LedgerAssert hasReports(long reports) {
        isNotNull();
        return verifyCount("reports on all devices", reports, actual.reports());
    }

    /**
     * Verifies the reported allocations minus the reported frees of one device.
     *
     * <pre>{@code
     * tracker.allocated(0, BufferType.DRAM, 4096, 64);
     * assertThat(tracker).ledger(CountingPolicy.REFERENCE_COUNTED).hasReportsOn(0, 1); // succeeds
     * assertThat(tracker).ledger(CountingPolicy.REFERENCE_COUNTED).hasReportsOn(1, 1); // fails
     * }</pre>
     *
     * @throws AssertionError if the number differs
     */
    public LedgerAssert hasReportsOn(int device, long reports) {
        isNotNull();
        return verifyCount("reports on device " + device, reports, actual.reports(device));
    }

    /**
     * Verifies the maximum number of reports of one device at once.
     *
     * <pre>{@code
     * tracker.allocated(0, BufferType.DRAM, 4096, 64);
     * tracker.freed(0, BufferType.DRAM, 4096);
     * assertThat(tracker).ledger(CountingPolicy.REFERENCE_COUNTED).hasPeakReportsOn(0, 1); // succeeds
     * assertThat(tracker).ledger(CountingPolicy.REFERENCE_COUNTED).hasPeakReportsOn(0, 0); // fails
     * }</pre>
     *
     * @throws AssertionError if the number differs
     */
    public LedgerAssert hasPeakReportsOn(int device, long reports) {
        isNotNull();
        return verifyCount("peak reports on device " + device, reports, actual.peakReports(device));
    }

    /**
     * Verifies the number of addresses in the ledger.
     *
     * <pre>{@code
     * tracker.allocated(0, BufferType.DRAM, 4096, 64);
     * tracker.allocated(0, BufferType.DRAM, 4096, 64);
     * assertThat(tracker).ledger(CountingPolicy.REFERENCE_COUNTED).hasEntries(1); // succeeds
     * assertThat(tracker).ledger(CountingPolicy.REFERENCE_COUNTED).hasEntries(2); // fails
     * }</pre>
     *
     * @throws AssertionError if the number differs
     */
    public LedgerAssert hasEntries(int entries) {
        isNotNull();
        return verifyCount("entries on all devices", entries, actual.entries());
    }

    /**
     * Verifies the number of addresses in the ledger for one device.
     *
     * <pre>{@code
     * tracker.allocated(0, BufferType.DRAM, 4096, 64);
     * assertThat(tracker).ledger(CountingPolicy.REFERENCE_COUNTED).hasEntriesOn(0, 1); // succeeds
     * assertThat(tracker).ledger(CountingPolicy.REFERENCE_COUNTED).hasEntriesOn(1, 1); // fails
     * }</pre>
     *
     * @throws AssertionError if the number differs
     */
    public LedgerAssert hasEntriesOn(int device, int entries) {
        isNotNull();
        return verifyCount("entries on device " + device, entries, actual.entries(device));
    }

    /**
     * Verifies the maximum number of addresses in the ledger at once.
     *
     * <pre>{@code
     * tracker.allocated(0, BufferType.DRAM, 4096, 64);
     * tracker.freed(0, BufferType.DRAM, 4096);
     * assertThat(tracker).ledger(CountingPolicy.REFERENCE_COUNTED).hasPeakEntries(1); // succeeds
     * assertThat(tracker).ledger(CountingPolicy.REFERENCE_COUNTED).hasPeakEntries(0); // fails
     * }</pre>
     *
     * @throws AssertionError if the number differs
     */
    public LedgerAssert hasPeakEntries(int entries) {
        isNotNull();
        return verifyCount("peak entries on all devices", entries, actual.peakEntries());
    }

    /**
     * Verifies the number of frees without an entry.
     *
     * <pre>{@code
     * tracker.freed(0, BufferType.DRAM, 4096);
     * assertThat(tracker).ledger(CountingPolicy.REFERENCE_COUNTED).hasUnknownFrees(1); // succeeds
     * assertThat(tracker).ledger(CountingPolicy.REFERENCE_COUNTED).hasUnknownFrees(0); // fails
     * }</pre>
     *
     * @throws AssertionError if the number differs
     */
    public LedgerAssert hasUnknownFrees(long frees) {
        isNotNull();
        return verifyCount("frees of unknown addresses", frees, actual.unknownFrees());
    }

    private LedgerAssert verifyBytes(String what, long expected, long found) {
        if (found != expected) {
            return failed(shouldHaveBytes(what, expected, found, actual));
        }
        return myself;
    }

    private LedgerAssert verifyCount(String what, long expected, long found) {
        if (found != expected) {
            return failed(shouldHaveCount(what, expected, found, actual));
        }
        return myself;
    }

    private boolean hasReports() {
        return actual.devices().stream().anyMatch(device -> actual.reports(device) != 0);
    }

    private boolean hasBytes() {
        for (int device : actual.devices()) {
            for (BufferType type : BufferType.values()) {
                if (actual.bytes(device, type) != 0) {
                    return true;
                }
            }
        }
        return false;
    }
}
