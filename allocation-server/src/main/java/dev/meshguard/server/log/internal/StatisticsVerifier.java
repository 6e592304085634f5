package dev.meshguard.server.log.internal;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.Quantities;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Compares the sums that the server printed with the sum of the lines.
 *
 * <p>A server without reference counts adds every report. The sums are therefore also compared with such a ledger until
 * a line shows the kind of server.
 */
final class StatisticsVerifier {

    private static final String TOTAL = "Total";

    private final ReplayedLedger ledger;
    private final LogGapRecorder gaps;
    private long figures;
    private long disagreements;

    StatisticsVerifier(ReplayedLedger ledger, LogGapRecorder gaps) {
        this.ledger = ledger;
        this.gaps = gaps;
    }

    /** Returns the number of compared sums. */
    long figures() {
        return figures;
    }

    /** Returns the number of them that are not the sum of the lines. */
    long disagreements() {
        return disagreements;
    }

    void buffersOf(int device, long said, long line) {
        ReplayedLedger.ReplayedDevice replayed = ledger.replayedDevice(device);
        check(
                said,
                replayed == null ? 0 : replayed.count(),
                replayed == null ? 0 : replayed.everyCount(),
                line,
                "buffers on device " + device);
    }

    void bytesOf(int device, String what, long said, long line) {
        check(said, bytes(device, what), everyBytes(device, what), line, "bytes of " + description(what, device));
    }

    void kilobytesOf(int device, String what, String said, long line) {
        boolean fits = RoundedNumbers.fits(said, bytes(device, what), RoundedNumbers.KILOBYTE)
                || (mayAddEveryReport()
                        && RoundedNumbers.fits(said, everyBytes(device, what), RoundedNumbers.KILOBYTE));
        check(fits, said + " KB of " + description(what, device), Quantities.size(bytes(device, what)), line);
    }

    void active(long said, long line) {
        check(said, ledger.entries(), ledger.entriesOfEveryReport(), line, "active allocations");
    }

    void tracked(long said, long line) {
        check(said, ledger.entries(), ledger.entries(), line, "live buffers");
    }

    void group(int device, BufferType type, long buffers, String megabytes, long line) {
        ReplayedLedger.ReplayedDevice replayed = ledger.replayedDevice(device);
        long count = replayed == null ? 0 : replayed.count(type);
        long bytes = replayed == null ? 0 : replayed.bytes(type);
        check(
                buffers == count && RoundedNumbers.fits(megabytes, bytes, RoundedNumbers.MEGABYTE),
                String.format(
                        Locale.ROOT,
                        "%s of %s on device %d with %s MB",
                        Quantities.count(buffers, "buffer"),
                        type,
                        device,
                        megabytes),
                Quantities.count(count, "buffer") + " with " + Quantities.size(bytes),
                line);
    }

    void single(int device, long id, String kilobytes, long references, long line) {
        @Nullable BufferEntry entry = ledger.entry(device, id).orElse(null);
        boolean fits = entry != null
                && entry.references == references
                && RoundedNumbers.fits(kilobytes, entry.size, RoundedNumbers.KILOBYTE);
        check(
                fits,
                String.format(
                        Locale.ROOT,
                        "buffer %s on device %d with %s KB and %s",
                        Quantities.address(id),
                        device,
                        kilobytes,
                        Quantities.count(references, "reference")),
                entry == null
                        ? "none"
                        : Quantities.size(entry.size) + " and " + Quantities.count(entry.references, "reference"),
                line);
    }

    void removed(long pid, long buffers, String megabytes, ReplayedLedger.Death removed, long line) {
        check(
                buffers == removed.buffers()
                        && RoundedNumbers.fits(megabytes, removed.bytes(), RoundedNumbers.MEGABYTE),
                String.format(
                        Locale.ROOT,
                        "%s with %s MB of the dead process %d",
                        Quantities.count(buffers, "buffer"),
                        megabytes,
                        pid),
                Quantities.count(removed.buffers(), "buffer") + " with " + Quantities.size(removed.bytes()),
                line);
    }

    private void check(long said, long counted, long everyReport, long line, String what) {
        boolean fits = said == counted || (mayAddEveryReport() && said == everyReport);
        check(fits, said + " " + what, String.valueOf(counted), line);
    }

    private void check(boolean fits, String said, String counted, long line) {
        figures++;
        if (!fits) {
            disagreements++;
            gaps.note(
                    LogGapRecorder.Kind.WITNESS,
                    line,
                    String.format(
                            Locale.ROOT, "line %d says %s, and the lines before it add up to %s", line, said, counted));
        }
    }

    private boolean mayAddEveryReport() {
        return ledger.counting() != ReplayedLedger.Counting.REFERENCES;
    }

    private long bytes(int device, String what) {
        ReplayedLedger.ReplayedDevice replayed = ledger.replayedDevice(device);
        if (replayed == null) {
            return 0;
        }
        return what.equals(TOTAL) ? replayed.total() : replayed.bytes(BufferType.valueOf(what));
    }

    private long everyBytes(int device, String what) {
        ReplayedLedger.ReplayedDevice replayed = ledger.replayedDevice(device);
        if (replayed == null) {
            return 0;
        }
        return what.equals(TOTAL) ? replayed.everyTotal() : replayed.everyBytes(BufferType.valueOf(what));
    }

    private static String description(String what, int device) {
        return (what.equals(TOTAL) ? "all types" : what) + " on device " + device;
    }
}
