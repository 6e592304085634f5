package dev.meshguard.cli.analyze;

import dev.meshguard.capture.evidence.MemoryReport;
import dev.meshguard.capture.evidence.MemoryReport.Amounts;
import dev.meshguard.capture.evidence.MemoryReport.ReportedMemory;
import dev.meshguard.cli.common.ExitStatus;
import dev.meshguard.cli.common.Table;
import dev.meshguard.cli.input.Input;
import dev.meshguard.event.PrintableText;
import dev.meshguard.event.Quantities;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** The answer about a memory report. */
final class MemoryReportAnswer extends MomentAnswer {

    private final MemoryReport content;

    MemoryReportAnswer(Input.Moment file, MemoryReport content, boolean judgesMoment) {
        super(file, judgesMoment);
        this.content = content;
    }

    @Override
    String description() {
        return String.format(
                Locale.ROOT,
                "%d %s of one device at one moment (memory report)",
                content.memories().size(),
                content.memories().size() == 1 ? "memory" : "memories");
    }

    @Override
    String allocated() {
        if (!content.hasAllocatedMemory()) {
            return "the file does not say how much is allocated";
        }
        long allocated =
                content.memories().stream().map(ReportedMemory::allocated).reduce(0L, Quantities::saturatedSum);
        boolean isOfAllBanks =
                content.memories().stream().allMatch(memory -> memory.all().isPresent());
        return Quantities.size(allocated) + (isOfAllBanks ? "" : " in a bank of each memory")
                + " was allocated at that moment";
    }

    @Override
    Table table() {
        Table table = new Table()
                .row("memory", "banks", "allocated", "of a bank", "free", "largest free", "holes", "buffers");
        content.memories()
                .forEach(memory -> table.row(
                        memory.type(),
                        text(memory.banks()),
                        size(memory.all().map(Amounts::allocated)),
                        size(memory.bank().map(Amounts::allocated)),
                        size(memory.bank().map(Amounts::free)),
                        size(known(memory.largestFree())),
                        text(memory.freeBlocks()),
                        text(memory.buffers())));
        return table;
    }

    private static String text(OptionalInt number) {
        return number.isPresent() ? String.valueOf(number.getAsInt()) : NOTHING;
    }

    private static Optional<Long> known(OptionalLong bytes) {
        return bytes.isPresent() ? Optional.of(bytes.getAsLong()) : Optional.empty();
    }

    private static String size(Optional<Long> bytes) {
        return bytes.map(Quantities::size).orElse(NOTHING);
    }

    @Override
    List<String> notes() {
        List<String> notes = new ArrayList<>();
        if (status() == ExitStatus.INCONCLUSIVE && content.hasAllocatedMemory()) {
            notes.add("Memory of one moment may be freed later. If nothing may be allocated then, give --at-end.");
        }
        if (content.isRounded()) {
            notes.add("This version rounds down to KiB.");
        }
        content.memories().stream()
                .flatMap(memory -> fragmentation(memory).stream())
                .forEach(notes::add);
        content.notes().forEach(note -> notes.add(PrintableText.line(note)));
        notes.add("It names neither the device nor a buffer, and has no circular buffers.");
        return notes;
    }

    private static Optional<String> fragmentation(ReportedMemory memory) {
        return memory.bank()
                .flatMap(bank -> known(memory.largestFree())
                        .filter(largest -> largest + bank.rounding() < bank.free())
                        .map(largest -> String.format(
                                Locale.ROOT,
                                "%s is fragmented: of %s free in a bank, at most %s are in one piece.",
                                memory.type(),
                                Quantities.size(bank.free()),
                                Quantities.size(largest))));
    }
}
