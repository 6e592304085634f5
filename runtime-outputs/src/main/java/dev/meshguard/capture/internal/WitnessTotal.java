package dev.meshguard.capture.internal;

import dev.meshguard.capture.evidence.MemoryReport;
import dev.meshguard.capture.evidence.MemoryReport.ReportedMemory;
import dev.meshguard.capture.evidence.SharedMemory;
import dev.meshguard.capture.internal.LiveSet.LiveBuffer;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.Quantities;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * A number of allocated bytes or blocks on one device that a witness lists; a recording cannot have more.
 *
 * @param type the memory
 * @param measure what is counted
 * @param number the number
 * @param rounding by how much it may have been rounded down
 */
record WitnessTotal(BufferType type, Measure measure, long number, long rounding) {

    /** The memory that a witness counts. */
    enum Measure {
        /** Bytes over all banks. */
        BYTES,
        /** Bytes in the fullest bank. */
        BYTES_OF_BANK,
        /** Blocks, of which each buffer has one in each bank. */
        BLOCKS
    }

    private static final List<BufferType> SHARED =
            List.of(BufferType.DRAM, BufferType.L1, BufferType.L1_SMALL, BufferType.TRACE);

    /** Returns the totals of a report; none if it does not say how much is allocated. */
    static List<WitnessTotal> of(MemoryReport report) {
        List<WitnessTotal> totals = new ArrayList<>();
        for (ReportedMemory memory : report.memories()) {
            memory.all()
                    .ifPresent(all -> totals.add(
                            new WitnessTotal(memory.type(), Measure.BYTES, all.allocated(), all.rounding())));
            memory.bank()
                    .ifPresent(bank -> totals.add(
                            new WitnessTotal(memory.type(), Measure.BYTES_OF_BANK, bank.allocated(), bank.rounding())));
            memory.buffers()
                    .ifPresent(blocks -> totals.add(new WitnessTotal(memory.type(), Measure.BLOCKS, blocks, 0)));
        }
        return totals;
    }

    /** Returns the totals of a device. */
    static List<WitnessTotal> of(SharedMemory memory) {
        return SHARED.stream()
                .map(type ->
                        new WitnessTotal(type, Measure.BYTES, memory.total().of(type), 0))
                .toList();
    }

    /** Returns the numbers of both, if the buffers of a device are more than this. */
    Optional<String> contradiction(List<LiveBuffer> ofDevice, String recording) {
        List<LiveBuffer> buffers = ofType(ofDevice);
        long measured = switch (measure) {
            case BYTES -> size(buffers);
            case BYTES_OF_BANK -> bankSize(buffers);
            case BLOCKS -> buffers.size();
        };
        return measured <= Quantities.saturatedSum(number, rounding)
                ? Optional.empty()
                : Optional.of(String.format(
                        Locale.ROOT,
                        "lists %s, and the %s has %s in %s there",
                        listed(),
                        recording,
                        bytes(buffers),
                        Quantities.count(buffers.size(), "buffer")));
    }

    /** Returns the number, and how much of it the buffers of a device are. */
    String share(List<LiveBuffer> ofDevice) {
        List<LiveBuffer> buffers = ofType(ofDevice);
        return bytes(buffers) + " in " + Quantities.count(buffers.size(), "buffer");
    }

    /** Returns the number with its memory. */
    String listed() {
        return switch (measure) {
            case BYTES -> Quantities.size(number) + " of " + type;
            case BYTES_OF_BANK -> Quantities.size(number) + " of " + type + " in the fullest bank";
            case BLOCKS -> Quantities.count(number, "allocated block") + " of " + type;
        };
    }

    private List<LiveBuffer> ofType(List<LiveBuffer> ofDevice) {
        return ofDevice.stream().filter(buffer -> buffer.type() == type).toList();
    }

    private String bytes(List<LiveBuffer> buffers) {
        return Quantities.size(measure == Measure.BYTES_OF_BANK ? bankSize(buffers) : size(buffers));
    }

    private static long size(List<LiveBuffer> buffers) {
        return buffers.stream().map(LiveBuffer::size).reduce(0L, Quantities::saturatedSum);
    }

    private static long bankSize(List<LiveBuffer> buffers) {
        return buffers.stream().map(buffer -> buffer.bankSize().orElse(0)).reduce(0L, Quantities::saturatedSum);
    }
}
