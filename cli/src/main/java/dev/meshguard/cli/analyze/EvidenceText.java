package dev.meshguard.cli.analyze;

import dev.meshguard.capture.evidence.MemoryReport;
import dev.meshguard.capture.evidence.MemoryReport.Amounts;
import dev.meshguard.capture.evidence.MemoryReport.ReportedMemory;
import dev.meshguard.capture.evidence.SharedMemory;
import dev.meshguard.capture.evidence.SharedMemory.ProcessMemory;
import dev.meshguard.capture.evidence.SharedMemory.ProcessStatus;
import dev.meshguard.capture.evidence.SharedMemory.Totals;
import dev.meshguard.cli.common.ExitStatus;
import dev.meshguard.cli.common.Table;
import dev.meshguard.event.PrintableText;
import dev.meshguard.event.Quantities;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** The terminal output of {@code analyze} for a file with the memory of one moment. */
final class EvidenceText {

    private static final String NOTHING = "-";
    private static final int MAX_COLUMNS = 120;
    private static final String INDENT = " ".repeat("note   ".length());

    private final EvidenceAnalysis analysis;
    private final List<String> lines = new ArrayList<>();

    EvidenceText(EvidenceAnalysis analysis) {
        this.analysis = analysis;
    }

    List<String> lines() {
        if (analysis.file() instanceof MemoryReport report) {
            memoryReport(report);
        } else if (analysis.file() instanceof SharedMemory memory) {
            sharedMemory(memory);
        }
        return lines;
    }

    /** Adds a note, no wider than the text of a verdict. */
    private void note(String text) {
        StringBuilder line = new StringBuilder("note   ");
        for (String word : text.split(" ", -1)) {
            if (line.length() + 1 + word.length() > MAX_COLUMNS) {
                lines.add(line.toString());
                line = new StringBuilder(INDENT);
            }
            line.append(' ').append(word);
        }
        lines.add(line.toString());
    }

    private void verdict(String allocated) {
        lines.add("");
        lines.add(
                switch (analysis.status()) {
                    case LEAKED -> "LEAK  " + allocated;
                    case CLEAN -> "CLEAN  nothing was allocated";
                    default -> "INCONCLUSIVE  " + allocated;
                });
        lines.add("");
    }

    private boolean isUndecided() {
        return analysis.status() == ExitStatus.INCONCLUSIVE;
    }

    // Memory reports

    private void memoryReport(MemoryReport report) {
        String programs = report.programs().isPresent()
                ? ", the last of " + Quantities.count(report.programs().getAsInt(), "program")
                : "";
        lines.add(String.format(
                Locale.ROOT,
                "%s: %d %s of one device at one moment%s (memory report)",
                report.name(),
                report.memories().size(),
                report.memories().size() == 1 ? "memory" : "memories",
                programs));
        long allocated = report.memories().stream()
                .map(memory -> memory.allocated().orElse(0))
                .reduce(0L, Quantities::saturatedSum);
        boolean isOfAllBanks =
                report.memories().stream().allMatch(memory -> memory.all().isPresent());
        verdict(
                report.saysWhatIsAllocated()
                        ? Quantities.size(allocated) + (isOfAllBanks ? "" : " in a bank of each memory")
                                + " was allocated at that moment"
                        : "the file does not say how much is allocated");
        Table table = new Table()
                .row("memory", "banks", "allocated", "of a bank", "free", "largest free", "holes", "buffers");
        report.memories()
                .forEach(memory -> table.row(
                        memory.type(),
                        text(memory.banks()),
                        size(memory.all().map(Amounts::allocated)),
                        size(memory.bank().map(Amounts::allocated)),
                        size(memory.bank().map(Amounts::free)),
                        size(memory.largestFree()),
                        text(memory.freeBlocks()),
                        text(memory.buffers())));
        lines.addAll(table.lines());
        lines.add("");
        if (isUndecided() && report.hasAllocatedMemory()) {
            note("Memory of one moment may be freed later. If nothing may be allocated then, give --at-end.");
        }
        if (report.isRounded()) {
            note("This version rounds down to KiB.");
        }
        report.memories().stream().filter(EvidenceText::isFragmented).forEach(memory -> note(fragmentation(memory)));
        report.notes().forEach(note -> note(PrintableText.line(note)));
        note("It names neither the device nor a buffer, and has no circular buffers.");
    }

    private static boolean isFragmented(ReportedMemory memory) {
        return memory.bank().isPresent()
                && memory.largestFree().isPresent()
                && memory.largestFree().getAsLong() + memory.bank().get().rounding()
                        < memory.bank().get().free();
    }

    private static String fragmentation(ReportedMemory memory) {
        return String.format(
                Locale.ROOT,
                "%s is fragmented: of %s free in a bank, at most %s are in one piece.",
                memory.type(),
                Quantities.size(memory.bank().orElseThrow().free()),
                Quantities.size(memory.largestFree().orElseThrow()));
    }

    private static String text(OptionalInt number) {
        return number.isPresent() ? String.valueOf(number.getAsInt()) : NOTHING;
    }

    private static String size(OptionalLong bytes) {
        return bytes.isPresent() ? Quantities.size(bytes.getAsLong()) : NOTHING;
    }

    private static String size(Optional<Long> bytes) {
        return bytes.map(Quantities::size).orElse(NOTHING);
    }

    // Shared memory

    private void sharedMemory(SharedMemory memory) {
        lines.add(String.format(
                Locale.ROOT,
                "%s: device %d, %s, updated %s (shared memory)",
                memory.name(),
                memory.device(),
                Quantities.count(memory.processes().size(), "slot"),
                memory.updated()));
        long missing = memory.processes().stream()
                .filter(process -> process.status() == ProcessStatus.MISSING)
                .count();
        verdict(Quantities.size(memory.total().buffers()) + " is allocated"
                + (missing == 0
                        ? ""
                        : ", and " + Quantities.count(missing, "slot") + (missing == 1 ? " has" : " have")
                                + " no running process"));
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
        row(table, "device", NOTHING, NOTHING, memory.total(), memory.updated().toString());
        memory.chips()
                .forEach(chip -> row(
                        table,
                        "chip " + chip.id(),
                        NOTHING,
                        chip.isRemote() ? "remote" : NOTHING,
                        chip.totals(),
                        NOTHING));
        memory.processes().forEach(process -> row(table, process));
        lines.addAll(table.lines());
        lines.add("");
        if (isUndecided() && missing == 0) {
            note("Processes may free it later. If nothing may be allocated now, give --at-end.");
        }
        memory.notes().forEach(this::note);
        note(
                "Totals are those of Buffer::size() over all banks. Circular buffers are unreliable: processes update them rarely,"
                        + " and those of the device are those of its last writer.");
    }

    private static void row(Table table, ProcessMemory process) {
        row(
                table,
                "process " + process.processId(),
                PrintableText.line(process.command()),
                switch (process.status()) {
                    case UNKNOWN -> NOTHING;
                    case RUNNING -> "running";
                    case MISSING -> "not running";
                },
                process.totals(),
                process.updated().toString());
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
}
