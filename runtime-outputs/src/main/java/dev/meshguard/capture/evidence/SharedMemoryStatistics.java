package dev.meshguard.capture.evidence;

import dev.meshguard.text.PrintableText;
import dev.meshguard.text.Quantities;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongFunction;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The statistics that the runtime keeps in shared memory, {@code /dev/shm/tt_device_<id>_memory}: totals of one device,
 * of its chips and of each process, in version 4 of the layout.
 *
 * <p>A total is the sum of {@code Buffer::size()} on the device, over all banks, as {@code memory_stats_shm.hpp} describes
 * it. It names no buffer and no address. A process that exits normally subtracts its part. If it is killed, its slot and
 * the totals remain until another process reaps them. Therefore {@link #inspected} looks for the processes.
 *
 * <p>Immutable and safe for use by several threads.
 *
 * @param name the name of the file
 * @param device the number of the device
 * @param updated the time of the last update
 * @param total the memory of the device
 * @param chips the memory of each chip, among them those that are reached through the device
 * @param processes the memory of each process with a slot, in the order of the slots
 * @param defects what shows that it is not whole, as whole sentences
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record SharedMemoryStatistics(
        String name,
        long device,
        Instant updated,
        Totals total,
        List<Chip> chips,
        List<ProcessMemory> processes,
        List<String> defects)
        implements RuntimeEvidence {

    /** A process cannot have updated its slot before it was started; clocks of both have coarse ticks. */
    private static final Duration TICK = Duration.ofSeconds(2);

    private static final int MAX_NAMED = 5;

    /** Whether the process of a slot exists. */
    public enum ProcessStatus {
        /** Nobody looked. */
        UNKNOWN,
        /** It is running. */
        RUNNING,
        /**
         * It is not, so it was killed or crashed; or its number is that of another container, whose processes are not visible
         * here.
         */
        MISSING
    }

    /**
     * Allocated bytes on one device, over all banks.
     *
     * @param dram in DRAM
     * @param l1 in L1
     * @param l1Small in L1_SMALL
     * @param trace in the trace region
     * @param circularBuffers of circular buffers, which are unreliable: processes update them rarely, and the device has those
     *     of the process that wrote last
     */
    public record Totals(long dram, long l1, long l1Small, long trace, long circularBuffers) {

        /** Returns the bytes of all buffers; circular buffers are none. */
        public long buffers() {
            return Quantities.saturatedSum(Quantities.saturatedSum(dram, l1), Quantities.saturatedSum(l1Small, trace));
        }

        /** Returns whether nothing is allocated. */
        public boolean isZero() {
            return (dram | l1 | l1Small | trace | circularBuffers) == 0;
        }
    }

    /**
     * The memory of one chip.
     *
     * @param id the number of the chip
     * @param isRemote whether it is reached through another chip
     * @param totals its memory
     */
    public record Chip(long id, boolean isRemote, Totals totals) {}

    /**
     * The memory of one process.
     *
     * @param processId its number, in the container in which it runs; -1 while its slot is released
     * @param command its name, as the kernel has it
     * @param updated the time of its last update
     * @param totals its memory
     * @param status whether it exists
     */
    public record ProcessMemory(int processId, String command, Instant updated, Totals totals, ProcessStatus status) {}

    /** Creates the record with its own copies of the lists. */
    public SharedMemoryStatistics {
        chips = List.copyOf(chips);
        processes = List.copyOf(processes);
        defects = List.copyOf(defects);
    }

    /**
     * Returns these statistics with the status of each process.
     *
     * <p>Inspect the processes of the container in which the programs ran: a number means another process elsewhere. A
     * process that was started after the slot's last update has taken over the number, so that of the slot is missing.
     *
     * @param startOf returns the start of the running process with a number, {@link Instant#EPOCH} if that is unknown; empty if
     *     there is no such process, or it has ended
     */
    public SharedMemoryStatistics inspected(LongFunction<Optional<Instant>> startOf) {
        return new SharedMemoryStatistics(
                name,
                device,
                updated,
                total,
                chips,
                processes.stream().map(process -> inspected(process, startOf)).toList(),
                defects);
    }

    /** Returns whether a buffer is allocated, by the totals of the device, of a chip or of a process. */
    @Override
    public boolean hasAllocatedMemory() {
        return total.buffers() > 0
                || chips.stream().anyMatch(chip -> chip.totals.buffers() > 0)
                || processes.stream().anyMatch(process -> process.totals.buffers() > 0);
    }

    /**
     * Returns the defects, a sentence for each of the first processes that do not run, and one for the number of the others.
     */
    @Override
    public List<String> notes() {
        List<ProcessMemory> missing = processes.stream()
                .filter(process -> process.status == ProcessStatus.MISSING)
                .toList();
        List<String> notes = new ArrayList<>(defects);
        missing.stream().limit(MAX_NAMED).forEach(process -> notes.add(note(process)));
        if (missing.size() > MAX_NAMED) {
            notes.add("The processes of " + (missing.size() - MAX_NAMED) + " more slots do not run either.");
        }
        return notes;
    }

    private static String note(ProcessMemory process) {
        return "Process " + process.processId + " (" + PrintableText.line(process.command)
                + ") does not run, and its slot still has "
                + Quantities.size(process.totals.buffers())
                + ": it was killed or crashed, or runs in another container.";
    }

    private static ProcessMemory inspected(ProcessMemory process, LongFunction<Optional<Instant>> startOf) {
        if (process.processId <= 0) {
            return process;
        }
        boolean isRunning = startOf.apply(process.processId)
                .filter(start -> start.isBefore(process.updated.plus(TICK)))
                .isPresent();
        return new ProcessMemory(
                process.processId,
                process.command,
                process.updated,
                process.totals,
                isRunning ? ProcessStatus.RUNNING : ProcessStatus.MISSING);
    }
}
