package dev.meshguard.capture.evidence.internal;

import dev.meshguard.capture.evidence.MemoryReport;
import dev.meshguard.capture.evidence.MemoryReport.MemoryBlock;
import dev.meshguard.capture.evidence.MemoryReport.ReportedMemory;
import dev.meshguard.event.BufferType;
import dev.meshguard.file.EditedText;
import dev.meshguard.text.PrintableText;
import dev.meshguard.text.Quantities;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Parses a memory report, of which only the summary is real CSV.
 *
 * <p>The forms are those of {@code memory_reporter.cpp} and {@code free_list_opt.cpp}. Labels decide the unit: {@code (KB)}
 * numbers were rounded down. The labels of the newer summary say KB of free bytes, so that of the first number counts.
 *
 * <p>A number of more digits than any memory has is none. So no sum of two numbers in bytes overflows.
 */
public final class MemoryReportParser {

    private static final Pattern HEADER = Pattern.compile("Total Allocatable Size \\((KB|B)\\)");
    private static final String NUMBER = ",\\s*(\\d{1,15})\\s*";
    private static final Pattern ROW = Pattern.compile("\\s*" + NUMBER.repeat(4));

    private static final Pattern HEADING = Pattern.compile("\\s*,\\s*(DRAM|L1|L1_SMALL|TRACE)\\s*");
    private static final Pattern TOTAL =
            Pattern.compile(",\\s*(" + String.join("|", MemorySection.TOTALS) + ") \\((KB|B)\\):\\s*" + NUMBER);
    private static final Pattern BLOCK =
            Pattern.compile("\\s*\\d{1,15}\\s+(\\d{1,15})\\s+(\\d{1,15})\\s+(?:none|\\d{1,15})"
                    + "\\s+(?:none|\\d{1,15})\\s+(yes|no)\\s*");
    private static final Pattern DECORATION = Pattern.compile(
            "FreeListOpt allocator info:|segregated free blocks by size:|\\s*Size class \\d+:.*|Free slots in block table:.*"
                    + "|Block table:|\\s*Block\\s+Address\\s+Size\\s+PrevID\\s+NextID\\s+Allocated\\s*");

    /** The order of the rows of a summary, which have no names. */
    private static final List<BufferType> ROWS = List.of(BufferType.DRAM, BufferType.L1, BufferType.L1_SMALL);

    private static final int UNIT = 1_024;
    private static final int MAX_EXCERPT = 60;

    private final List<String> notes = new ArrayList<>();
    private final Map<BufferType, MemorySection> sections = new EnumMap<>(BufferType.class);
    private boolean isSummary;
    private boolean isRounded;
    /** The section of the detailed report that is being read. */
    private Optional<MemorySection> section = Optional.empty();

    private MemoryReportParser() {}

    /** Returns whether a file with this beginning is a report. */
    public static boolean isMemoryReport(String beginning) {
        List<String> first = EditedText.withoutMark(beginning).lines().limit(2).toList();
        String line = first.isEmpty() ? "" : first.get(0);
        return HEADER.matcher(line).find()
                || (HEADING.matcher(line).matches()
                        && first.size() == 2
                        && first.get(1).startsWith(",Total allocatable ("));
    }

    /**
     * Parses a report.
     *
     * @param damage why the text is not all of it, if it is not
     */
    public static MemoryReport parse(String text, Optional<String> damage, String name) {
        MemoryReportParser parser = new MemoryReportParser();
        parser.read(EditedText.withoutMark(text));
        damage.ifPresent(reason -> parser.notes.add("It was not read to its end: " + reason + "."));
        List<ReportedMemory> memories = parser.memories();
        return new MemoryReport(name, memories, parser.isRounded, parser.notes);
    }

    private void read(String text) {
        List<String> lines = text.lines().toList();
        int whole = text.endsWith("\n") ? lines.size() : lines.size() - 1;
        List<Integer> unknown = new ArrayList<>();
        for (int i = 0; i < whole; i++) {
            if (!isRead(lines.get(i))) {
                unknown.add(i);
            }
        }
        if (whole < lines.size()) {
            notes.add("It ends in the middle of line " + lines.size() + ", which is not used.");
        }
        if (!unknown.isEmpty()) {
            notes.add(Quantities.count(unknown.size(), "line") + " of it "
                    + (unknown.size() == 1 ? "has no known form and is" : "have no known form and are")
                    + " not used (line " + (unknown.get(0) + 1) + ": \"" + excerpt(lines.get(unknown.get(0))) + "\").");
        }
    }

    private static String excerpt(String line) {
        return PrintableText.line(line.length() > MAX_EXCERPT ? line.substring(0, MAX_EXCERPT) + "…" : line);
    }

    private List<ReportedMemory> memories() {
        List<ReportedMemory> memories = new ArrayList<>();
        sections.values()
                .forEach(
                        memory -> memory.memory(isRounded ? UNIT - 1 : 0, notes).ifPresent(memories::add));
        if (memories.isEmpty()) {
            notes.add("It shows no memory.");
        }
        Stream.of(BufferType.DRAM, BufferType.L1)
                .filter(memory -> !sections.containsKey(memory))
                .forEach(memory -> notes.add("It has no figures of " + memory + ", so it is not whole."));
        return memories;
    }

    /** Reads a line; returns whether it has a known form, at a place for it. */
    private boolean isRead(String line) {
        if (line.isBlank()) {
            return true;
        }
        Matcher header = HEADER.matcher(line);
        if (!isSummary && sections.isEmpty() && header.find()) {
            isSummary = true;
            isRounded = header.group(1).equals("KB");
            return true;
        }
        return isSummary ? isRow(ROW.matcher(line)) : isDetail(line);
    }

    private static long bytes(String number, boolean isInKilobytes) {
        return Long.parseLong(number) * (isInKilobytes ? UNIT : 1);
    }

    private boolean isRow(Matcher row) {
        if (!row.matches() || sections.size() == ROWS.size()) {
            return false;
        }
        MemorySection begun = new MemorySection(ROWS.get(sections.size()));
        for (int group = 1; group <= row.groupCount(); group++) {
            begun.figures.add(bytes(row.group(group), isRounded));
        }
        sections.put(begun.type, begun);
        return true;
    }

    private boolean isDetail(String line) {
        Matcher heading = HEADING.matcher(line);
        if (heading.matches()) {
            MemorySection begun = new MemorySection(BufferType.valueOf(heading.group(1)));
            boolean isFirst = sections.putIfAbsent(begun.type, begun) == null;
            section = Optional.of(begun).filter(unused -> isFirst);
            return isFirst;
        }
        return section.filter(current -> DECORATION.matcher(line).matches()
                        || isBlock(BLOCK.matcher(line), current)
                        || isTotal(TOTAL.matcher(line), current))
                .isPresent();
    }

    private static boolean isBlock(Matcher block, MemorySection current) {
        boolean isBlock = block.matches();
        if (isBlock) {
            current.blocks.add(new MemoryBlock(
                    Long.parseLong(block.group(1)),
                    Long.parseLong(block.group(2)),
                    block.group(3).equals("yes")));
        }
        return isBlock;
    }

    private boolean isTotal(Matcher total, MemorySection current) {
        boolean isNext = total.matches() && current.expects(total.group(1));
        if (isNext) {
            boolean isInKilobytes = total.group(2).equals("KB");
            isRounded |= isInKilobytes;
            current.figures.add(bytes(total.group(3), isInKilobytes));
        }
        return isNext;
    }
}
