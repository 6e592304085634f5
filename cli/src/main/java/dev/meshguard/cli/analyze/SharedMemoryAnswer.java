package dev.meshguard.cli.analyze;

import dev.meshguard.capture.evidence.SharedMemory;
import dev.meshguard.capture.evidence.SharedMemory.ProcessStatus;
import dev.meshguard.capture.evidence.SharedMemory.Totals;
import dev.meshguard.cli.common.ExitStatus;
import dev.meshguard.cli.common.JsonDocument;
import dev.meshguard.cli.common.Table;
import dev.meshguard.event.PrintableText;
import dev.meshguard.event.Quantities;
import dev.meshguard.server.ProcessInspector;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The answer about the shared memory of a device.
 *
 * @param memory the content of the file, with the status of its processes
 * @param judgesMoment whether nothing should be allocated now; otherwise it may be freed later
 */
record SharedMemoryAnswer(SharedMemory memory, boolean judgesMoment) {

    /** Looks which of its processes run. */
    static SharedMemoryAnswer of(SharedMemory content, boolean judgesMoment) {
        ProcessInspector inspector = ProcessInspector.ofThisMachine();
        SharedMemory inspected = content.inspected(processId -> inspector
                .inspect(processId)
                .filter(state -> !state.hasEnded())
                .map(state -> state.started().orElse(Instant.EPOCH)));
        return new SharedMemoryAnswer(inspected, judgesMoment);
    }

    /** Returns the answer. */
    FileAnswer answer() {
        return new FileAnswer(
                FileAnswer.Kind.SHARED_MEMORY, memory.name(), status(), Optional.empty(), this::lines, this::write);
    }

    private ExitStatus status() {
        if (memory.hasAllocatedMemory()) {
            return judgesMoment ? ExitStatus.LEAKED : ExitStatus.INCONCLUSIVE;
        }
        return memory.notes().isEmpty() ? ExitStatus.CLEAN : ExitStatus.INCONCLUSIVE;
    }

    private long missing() {
        return memory.processes().stream()
                .filter(process -> process.status() == ProcessStatus.MISSING)
                .count();
    }

    // The text

    private List<String> lines() {
        String headline = String.format(
                Locale.ROOT,
                "%s: device %d, %s, updated %s (shared memory)",
                memory.name(),
                memory.device(),
                Quantities.count(memory.processes().size(), "slot"),
                memory.updated());
        long missing = missing();
        String allocated = Quantities.size(memory.total().buffers()) + " is allocated"
                + (missing == 0
                        ? ""
                        : ", and " + Quantities.count(missing, "slot") + (missing == 1 ? " has" : " have")
                                + " no running process");
        MomentText text = new MomentText(headline, status(), allocated, table());
        if (status() == ExitStatus.INCONCLUSIVE && missing == 0) {
            text.note("Processes may free it later. If nothing may be allocated now, give --at-end.");
        }
        memory.notes().forEach(text::note);
        text.note(
                "Totals are those of Buffer::size() over all banks. Circular buffers are unreliable: processes update them rarely,"
                        + " and those of the device are those of its last writer.");
        return text.lines();
    }

    private List<String> table() {
        String nothing = MomentText.NOTHING;
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
        row(table, "device", nothing, nothing, memory.total(), memory.updated().toString());
        memory.chips().forEach(chip -> {
            String place = chip.isRemote() ? "remote" : nothing;
            row(table, "chip " + chip.id(), nothing, place, chip.totals(), nothing);
        });
        memory.processes().forEach(process -> {
            String status = switch (process.status()) {
                case UNKNOWN -> nothing;
                case RUNNING -> "running";
                case MISSING -> "not running";
            };
            String name = "process " + process.processId();
            String command = PrintableText.line(process.command());
            row(
                    table,
                    name,
                    command,
                    status,
                    process.totals(),
                    process.updated().toString());
        });
        return table.lines();
    }

    private static void row(Table table, String name, String command, String status, Totals totals, String updated) {
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

    // The JSON

    private void write(JsonDocument json) throws IOException {
        json.field("device", memory.device());
        json.field("updated", memory.updated());
        write(memory.total(), json);
        json.objects("chips", memory.chips(), chip -> {
            json.field("chip", chip.id());
            json.field("remote", chip.isRemote());
            write(chip.totals(), json);
        });
        json.objects("processes", memory.processes(), process -> {
            json.field("process", process.processId());
            json.field("command", process.command());
            json.field("processStatus", process.status());
            json.field("updated", process.updated());
            write(process.totals(), json);
        });
    }

    private static void write(Totals allocated, JsonDocument json) throws IOException {
        json.object("allocated", allocated, totals -> {
            json.field("DRAM", totals.dram());
            json.field("L1", totals.l1());
            json.field("L1_SMALL", totals.l1Small());
            json.field("TRACE", totals.trace());
            json.field("circularBuffers", totals.circularBuffers());
        });
    }
}
