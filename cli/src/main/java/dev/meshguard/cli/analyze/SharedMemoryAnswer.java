package dev.meshguard.cli.analyze;

import dev.meshguard.capture.evidence.SharedMemory;
import dev.meshguard.capture.evidence.SharedMemory.ProcessStatus;
import dev.meshguard.capture.evidence.SharedMemory.Totals;
import dev.meshguard.cli.common.ExitStatus;
import dev.meshguard.cli.common.Table;
import dev.meshguard.cli.input.Input;
import dev.meshguard.event.PrintableText;
import dev.meshguard.event.Quantities;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The answer about the shared memory of a device. */
final class SharedMemoryAnswer extends MomentAnswer {

    private final SharedMemory memory;
    private final long missing;

    SharedMemoryAnswer(Input.Moment file, SharedMemory memory, boolean judgesMoment) {
        super(file, judgesMoment);
        this.memory = memory;
        this.missing = memory.processes().stream()
                .filter(process -> process.status() == ProcessStatus.MISSING)
                .count();
    }

    @Override
    String description() {
        return String.format(
                Locale.ROOT,
                "device %d, %s, updated %s (shared memory)",
                memory.device(),
                Quantities.count(memory.processes().size(), "slot"),
                memory.updated());
    }

    @Override
    String allocated() {
        String allocated = Quantities.size(memory.total().buffers()) + " is allocated";
        return missing == 0
                ? allocated
                : allocated + ", and " + Quantities.count(missing, "slot") + (missing == 1 ? " has" : " have")
                        + " no running process";
    }

    @Override
    Table table() {
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
        row(table, "device", NOTHING, NOTHING, memory.total(), memory.updated());
        memory.chips()
                .forEach(chip -> row(
                        table,
                        "chip " + chip.id(),
                        NOTHING,
                        chip.isRemote() ? "remote" : NOTHING,
                        chip.totals(),
                        NOTHING));
        memory.processes()
                .forEach(process -> row(
                        table,
                        "process " + process.processId(),
                        PrintableText.line(process.command()),
                        text(process.status()),
                        process.totals(),
                        process.updated()));
        return table;
    }

    private static String text(ProcessStatus status) {
        return switch (status) {
            case UNKNOWN -> NOTHING;
            case RUNNING -> "running";
            case MISSING -> "not running";
        };
    }

    private static void row(Table table, String name, String command, String status, Totals totals, Object updated) {
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

    @Override
    List<String> notes() {
        List<String> notes = new ArrayList<>();
        if (status() == ExitStatus.INCONCLUSIVE && missing == 0) {
            notes.add("Processes may free it later. If nothing may be allocated now, give --at-end.");
        }
        notes.addAll(memory.notes());
        notes.add(
                "Totals are those of Buffer::size() over all banks. Circular buffers are unreliable: processes update them rarely,"
                        + " and those of the device are those of its last writer.");
        return notes;
    }
}
