package dev.meshguard.server.log.internal;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.Quantities;

/** Compares the sums that the server printed with the sum of the lines. */
final class StatisticsVerifier {

    private static final String BYTES = "bytes";

    private final ReplayedLedger ledger;
    private final LogGapRecorder gaps;
    private final LogRecorder events;

    /** The device that the current section is about. */
    private int device;

    private long figures;
    private long disagreements;

    StatisticsVerifier(ReplayedLedger ledger, LogGapRecorder gaps, LogRecorder events) {
        this.ledger = ledger;
        this.gaps = gaps;
        this.events = events;
    }

    /** Returns the number of compared sums. */
    long figures() {
        return figures;
    }

    /** Returns the number of them that are not the sum of the lines. */
    long disagreements() {
        return disagreements;
    }

    /** Compares the sums in a line, if there are any. */
    void read(ServerStatusLine line) {
        switch (line.form()) {
            case DEVICE -> device = (int) line.number(0);
            case STATISTICS_LINE -> device((int) line.number(0), line);
            case BUFFERS -> buffers(device, line.number(0));
            case BYTES -> bytes(device, line.word(0), line.word(1), line.word(2));
            case ACTIVE -> check(line.number(0), ledger.entries(), "active allocations");
            case DUMP_TOTAL -> tracked(line.number(0));
            case DUMP_NOTHING -> tracked(0);
            case DUMP_TYPE -> group(BufferType.valueOf(line.word(0)), line.number(1), line.word(2));
            case DUMP_BUFFER -> single(line.address(0), line.word(1), line.number(3));
            default -> {}
        }
    }

    private void device(int ofDevice, ServerStatusLine line) {
        buffers(ofDevice, line.number(1));
        for (int i = 2; i < line.values().size(); i += 2) {
            if (!line.word(i).isEmpty()) {
                bytes(ofDevice, line.word(i), line.word(i + 1), BYTES);
            }
        }
    }

    private void buffers(int ofDevice, long printed) {
        check(printed, ledger.buffers(ofDevice), "buffers on device " + ofDevice);
    }

    private void bytes(int ofDevice, String what, String printed, String unit) {
        boolean isExact = unit.equals(BYTES);
        boolean isTotal = what.equals("Total");
        long bytes = isTotal ? ledger.bytes(ofDevice) : ledger.bytes(ofDevice, BufferType.valueOf(what));
        check(
                RoundedNumbers.fits(printed, bytes, isExact ? 1 : RoundedNumbers.KILOBYTE),
                printed + " " + unit + " of " + (isTotal ? "all types" : what) + " on device " + ofDevice,
                isExact ? String.valueOf(bytes) : Quantities.size(bytes));
    }

    private void tracked(long printed) {
        check(printed, ledger.entries(), "live buffers");
    }

    private void group(BufferType type, long buffers, String megabytes) {
        long count = ledger.buffers(device, type);
        long bytes = ledger.bytes(device, type);
        check(
                buffers == count && RoundedNumbers.fits(megabytes, bytes, RoundedNumbers.MEGABYTE),
                Quantities.count(buffers, "buffer") + " of " + type + " on device " + device + " with " + megabytes
                        + " MB",
                Quantities.count(count, "buffer") + " with " + Quantities.size(bytes));
    }

    private void single(long id, String kilobytes, long references) {
        BufferEntry entry = ledger.entry(device, id).orElse(null);
        boolean fits = entry != null
                && entry.references == references
                && RoundedNumbers.fits(kilobytes, entry.size, RoundedNumbers.KILOBYTE);
        check(
                fits,
                BufferEntry.text(device, id) + " with " + kilobytes + " KB and "
                        + Quantities.count(references, "reference"),
                entry == null
                        ? "none"
                        : Quantities.size(entry.size) + " and " + Quantities.count(entry.references, "reference"));
    }

    /** Compares the sums of a dead process. */
    void removed(long pid, long buffers, String megabytes, ReplayedLedger.Death removed) {
        check(
                buffers == removed.buffers && RoundedNumbers.fits(megabytes, removed.bytes, RoundedNumbers.MEGABYTE),
                Quantities.count(buffers, "buffer") + " with " + megabytes + " MB of the dead process " + pid,
                Quantities.count(removed.buffers, "buffer") + " with " + Quantities.size(removed.bytes));
    }

    private void check(long printed, long counted, String what) {
        check(printed == counted, printed + " " + what, String.valueOf(counted));
    }

    private void check(boolean fits, String printed, String counted) {
        figures++;
        if (!fits) {
            disagreements++;
            gaps.note(
                    LogGapRecorder.Kind.WITNESS,
                    "line %d says %s, and the lines before it add up to %s",
                    events.line(),
                    printed,
                    counted);
        }
    }
}
