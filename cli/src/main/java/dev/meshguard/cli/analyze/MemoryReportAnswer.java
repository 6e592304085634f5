package dev.meshguard.cli.analyze;

import dev.meshguard.capture.evidence.MemoryReport;
import dev.meshguard.capture.evidence.MemoryReport.Amounts;
import dev.meshguard.capture.evidence.MemoryReport.ReportedMemory;
import dev.meshguard.cli.common.ExitStatus;
import dev.meshguard.cli.common.JsonDocument;
import dev.meshguard.cli.common.Table;
import dev.meshguard.event.PrintableText;
import dev.meshguard.event.Quantities;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * The answer about a memory report.
 *
 * @param content the content of the file
 * @param judgesMoment whether nothing should be allocated at its moment; otherwise it may be freed later
 */
record MemoryReportAnswer(MemoryReport content, boolean judgesMoment) {

    /** Returns the answer. */
    FileAnswer answer() {
        return new FileAnswer(
                FileAnswer.Kind.MEMORY_REPORT, content.name(), status(), Optional.empty(), this::lines, this::write);
    }

    private ExitStatus status() {
        if (content.hasAllocatedMemory()) {
            return judgesMoment ? ExitStatus.LEAKED : ExitStatus.INCONCLUSIVE;
        }
        return content.notes().isEmpty() && content.saysWhatIsAllocated() ? ExitStatus.CLEAN : ExitStatus.INCONCLUSIVE;
    }

    // The text

    private List<String> lines() {
        MomentText text = new MomentText(headline(), status(), allocated(), table());
        if (status() == ExitStatus.INCONCLUSIVE && content.hasAllocatedMemory()) {
            text.note("Memory of one moment may be freed later. If nothing may be allocated then, give --at-end.");
        }
        if (content.isRounded()) {
            text.note("This version rounds down to KiB.");
        }
        content.memories().stream()
                .filter(MemoryReportAnswer::isFragmented)
                .forEach(memory -> text.note(fragmentation(memory)));
        content.notes().forEach(note -> text.note(PrintableText.line(note)));
        text.note("It names neither the device nor a buffer, and has no circular buffers.");
        return text.lines();
    }

    private String headline() {
        String programs = content.programs().isPresent()
                ? ", the last of " + Quantities.count(content.programs().getAsInt(), "program")
                : "";
        return String.format(
                Locale.ROOT,
                "%s: %d %s of one device at one moment%s (memory report)",
                content.name(),
                content.memories().size(),
                content.memories().size() == 1 ? "memory" : "memories",
                programs);
    }

    private String allocated() {
        if (!content.saysWhatIsAllocated() || !content.hasAllocatedMemory()) {
            return "the file does not say how much is allocated";
        }
        long allocated = content.memories().stream()
                .map(memory -> memory.allocated().orElse(0))
                .reduce(0L, Quantities::saturatedSum);
        boolean isOfAllBanks =
                content.memories().stream().allMatch(memory -> memory.all().isPresent());
        return Quantities.size(allocated) + (isOfAllBanks ? "" : " in a bank of each memory")
                + " was allocated at that moment";
    }

    private List<String> table() {
        Table table = new Table()
                .row("memory", "banks", "allocated", "of a bank", "free", "largest free", "holes", "buffers");
        content.memories()
                .forEach(memory -> table.row(
                        memory.type(),
                        text(memory.banks()),
                        size(memory.all().map(Amounts::allocated)),
                        size(memory.bank().map(Amounts::allocated)),
                        size(memory.bank().map(Amounts::free)),
                        size(memory.largestFree()),
                        text(memory.freeBlocks()),
                        text(memory.buffers())));
        return table.lines();
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
        return number.isPresent() ? String.valueOf(number.getAsInt()) : MomentText.NOTHING;
    }

    private static String size(OptionalLong bytes) {
        return bytes.isPresent() ? Quantities.size(bytes.getAsLong()) : MomentText.NOTHING;
    }

    private static String size(Optional<Long> bytes) {
        return bytes.map(Quantities::size).orElse(MomentText.NOTHING);
    }

    // The JSON

    private void write(JsonDocument json) throws IOException {
        json.field("rounded", content.isRounded());
        json.field("programs", content.programs());
        json.objects("memories", content.memories(), memory -> {
            json.field("type", memory.type());
            json.field("banks", memory.banks());
            write("allBanks", memory.all(), json);
            write("bank", memory.bank(), json);
            json.field("largestFree", memory.largestFree());
            if (!memory.blocks().isEmpty()) {
                json.objects("blocks", memory.blocks(), block -> {
                    json.field("address", block.address());
                    json.field("size", block.size());
                    json.field("allocated", block.isAllocated());
                });
            }
        });
        json.field("notes", content.notes());
    }

    private static void write(String field, Optional<Amounts> known, JsonDocument json) throws IOException {
        if (known.isPresent()) {
            json.object(field, known.get(), amounts -> {
                json.field("allocatable", amounts.allocatable());
                json.field("allocated", amounts.allocated());
                json.field("free", amounts.free());
            });
        }
    }
}
