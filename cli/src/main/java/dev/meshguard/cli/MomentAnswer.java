package dev.meshguard.cli;

import dev.meshguard.capture.evidence.MemoryReport;
import dev.meshguard.capture.evidence.MemoryReport.Amounts;
import dev.meshguard.capture.evidence.MemoryReport.ReportedMemory;
import dev.meshguard.capture.evidence.RuntimeEvidence;
import dev.meshguard.capture.evidence.SharedMemoryStatistics;
import dev.meshguard.capture.evidence.SharedMemoryStatistics.Chip;
import dev.meshguard.capture.evidence.SharedMemoryStatistics.ProcessMemory;
import dev.meshguard.capture.evidence.SharedMemoryStatistics.ProcessStatus;
import dev.meshguard.capture.evidence.SharedMemoryStatistics.Totals;
import dev.meshguard.cli.terminal.ExitStatus;
import dev.meshguard.cli.terminal.JsonDocument;
import dev.meshguard.cli.terminal.Table;
import dev.meshguard.report.VerdictReport;
import dev.meshguard.text.PrintableText;
import dev.meshguard.text.Quantities;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The output of a command about a file with the memory of one moment: a headline, the verdict, a table, and notes.
 *
 * @param description what is in the file, for the first line
 * @param allocated how much is allocated, for the verdict
 * @param notes whole sentences about the file, and what follows from the status
 */
record MomentAnswer(
        Input.Moment file, ExitStatus status, String description, String allocated, Table table, List<String> notes)
        implements FileAnswer {

    private static final Amounts UNKNOWN = new Amounts(0, 0, 0, 0);

    /**
     * Returns the answer.
     *
     * @param judgesMoment whether nothing should be allocated at the moment; otherwise it may be freed later
     */
    static MomentAnswer of(Input.Moment file, boolean judgesMoment) {
        ExitStatus status = status(file.memory(), judgesMoment);
        return file.memory() instanceof MemoryReport report
                ? ofReport(file, status, report)
                : ofSharedMemory(file, status, (SharedMemoryStatistics) file.memory());
    }

    private static ExitStatus status(RuntimeEvidence memory, boolean judgesMoment) {
        if (memory.hasAllocatedMemory()) {
            return judgesMoment ? ExitStatus.LEAKED : ExitStatus.INCONCLUSIVE;
        }
        return memory.notes().isEmpty() ? ExitStatus.CLEAN : ExitStatus.INCONCLUSIVE;
    }

    @Override
    public List<String> text() {
        List<String> lines = new ArrayList<>(List.of(file.name() + ": " + description, ""));
        lines.add(
                switch (status) {
                    case LEAKED -> "LEAK  " + allocated;
                    case CLEAN -> "CLEAN  nothing was allocated";
                    default -> "INCONCLUSIVE  " + allocated;
                });
        lines.add("");
        lines.addAll(table.lines());
        lines.add("");
        notes.forEach(note -> lines.addAll(VerdictReport.noteLines(note)));
        return lines;
    }

    @Override
    public Map<String, Object> fields() {
        return JsonDocument.object("memory", file.memory());
    }

    // A memory report

    private static MomentAnswer ofReport(Input.Moment file, ExitStatus status, MemoryReport report) {
        int memories = report.memories().size();
        Table table = new Table()
                .row("memory", "banks", "allocated", "of a bank", "free", "largest free", "holes", "buffers");
        report.memories()
                .forEach(memory -> table.row(
                        memory.type(),
                        memory.banks(),
                        memory.all().map(Amounts::allocated).map(Quantities::size),
                        memory.bank().map(Amounts::allocated).map(Quantities::size),
                        memory.bank().map(Amounts::free).map(Quantities::size),
                        memory.largestFree().stream().mapToObj(Quantities::size).findFirst(),
                        memory.freeBlocks(),
                        memory.buffers()));
        List<String> notes = new ArrayList<>();
        if (status == ExitStatus.INCONCLUSIVE && report.hasAllocatedMemory()) {
            notes.add("Memory of one moment may be freed later. If nothing may be allocated then, give --at-end.");
        }
        if (report.isRounded()) {
            notes.add("This version rounds down to KiB.");
        }
        report.memories().forEach(memory -> addFragmentation(memory, notes));
        report.notes().forEach(note -> notes.add(PrintableText.line(note)));
        notes.add("It names neither the device nor a buffer, and has no circular buffers.");
        return new MomentAnswer(
                file,
                status,
                memories + (memories == 1 ? " memory" : " memories") + " of one device at one moment (memory report)",
                allocated(report),
                table,
                notes);
    }

    private static String allocated(MemoryReport report) {
        List<ReportedMemory> memories = report.memories();
        if (memories.isEmpty()) {
            return "the file names no memory: give a whole one that dump_device_memory_state wrote";
        }
        if (!report.hasAllocatedMemory()) {
            return "the file does not say how much is allocated";
        }
        long allocated = memories.stream().map(ReportedMemory::allocated).reduce(0L, Quantities::saturatedSum);
        boolean isOfAllBanks = memories.stream().allMatch(memory -> memory.all().isPresent());
        return Quantities.size(allocated) + (isOfAllBanks ? "" : " in a bank of each memory")
                + " was allocated at that moment";
    }

    private static void addFragmentation(ReportedMemory memory, List<String> notes) {
        Amounts bank = memory.bank().orElse(UNKNOWN);
        long largest = memory.largestFree().orElse(bank.free());
        if (largest + bank.rounding() < bank.free()) {
            notes.add(memory.type() + " is fragmented: of " + Quantities.size(bank.free()) + " free in a bank, at most "
                    + Quantities.size(largest) + " are in one piece.");
        }
    }

    // Shared memory

    private static MomentAnswer ofSharedMemory(Input.Moment file, ExitStatus result, SharedMemoryStatistics memory) {
        long missing = memory.processes().stream()
                .filter(process -> process.status() == ProcessStatus.MISSING)
                .count();
        Table table = new Table()
                .row(
                        "",
                        "command",
                        "status",
                        "DRAM",
                        "L1",
                        "L1_SMALL",
                        "TRACE",
                        "circular buffers (unreliable)",
                        "updated");
        Optional<Object> unknown = Optional.empty();
        addTotals("device", unknown, unknown, memory.total(), memory.updated(), table);
        for (Chip chip : memory.chips()) {
            Object status = chip.isRemote() ? "remote" : unknown;
            addTotals("chip " + chip.id(), unknown, status, chip.totals(), unknown, table);
        }
        for (ProcessMemory process : memory.processes()) {
            String command = PrintableText.line(process.command());
            Object status = switch (process.status()) {
                case UNKNOWN -> unknown;
                case RUNNING -> "running";
                case MISSING -> "not running";
            };
            addTotals("process " + process.processId(), command, status, process.totals(), process.updated(), table);
        }
        List<String> notes = new ArrayList<>();
        if (result == ExitStatus.INCONCLUSIVE && missing == 0) {
            notes.add("Processes may free it later. If nothing may be allocated now, give --at-end.");
        }
        notes.addAll(memory.notes());
        notes.add(
                "Totals are those of Buffer::size() over all banks. Circular buffers are unreliable: processes update them rarely,"
                        + " and those of the device are those of its last writer.");
        return new MomentAnswer(
                file,
                result,
                "device " + memory.device() + ", "
                        + Quantities.count(memory.processes().size(), "slot") + ", updated " + memory.updated()
                        + " (shared memory)",
                Quantities.size(memory.total().buffers()) + " is allocated"
                        + (missing == 0
                                ? ""
                                : ", and " + Quantities.count(missing, "slot") + (missing == 1 ? " has" : " have")
                                        + " no running process"),
                table,
                notes);
    }

    private static void addTotals(
            String name, Object command, Object status, Totals totals, Object updated, Table table) {
        table.row(
                name,
                command,
                status,
                Quantities.size(totals.dram()),
                Quantities.size(totals.l1()),
                Quantities.size(totals.l1Small()),
                Quantities.size(totals.trace()),
                Quantities.size(totals.circularBuffers()),
                updated);
    }
}
