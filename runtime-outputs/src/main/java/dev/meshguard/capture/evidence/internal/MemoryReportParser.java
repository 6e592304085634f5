package dev.meshguard.capture.evidence.internal;

import dev.meshguard.capture.evidence.MemoryReport;
import dev.meshguard.capture.evidence.MemoryReport.MemoryBlock;
import dev.meshguard.capture.evidence.MemoryReport.ReportedMemory;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.PrintableText;
import dev.meshguard.event.Quantities;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Parses a memory report, of which only the summaries are real CSV.
 *
 * <p>The forms are those of {@code memory_reporter.cpp} and {@code free_list_opt.cpp}. Labels decide the unit: {@code (KB)}
 * numbers were rounded down. The labels of the newer summary say KB of free bytes, so that of the first number counts.
 *
 * <p>A number of more digits than any memory has is none. So no sum of two numbers in bytes overflows.
 */
public final class MemoryReportParser {

    private static final Pattern L1_TITLE =
            Pattern.compile("This report indicates available space for interleaving L1");
    private static final Pattern HEADER =
            Pattern.compile("(?:Total Allocatable Size|Largest Contiguous Free Block) \\((KB|B)\\)");

    private static final String PROGRAM = "\\s*(\\d{0,15})\\s*";
    private static final String NUMBER = ",\\s*(\\d{1,15})\\s*";
    private static final Pattern ROW = Pattern.compile(PROGRAM + NUMBER.repeat(4));
    private static final Pattern L1_ROW = Pattern.compile(PROGRAM + NUMBER.repeat(2));

    private static final Pattern HEADING = Pattern.compile(PROGRAM + ",\\s*(DRAM|L1|L1_SMALL|TRACE)\\s*");
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
    private boolean isRounded;
    private int programs;
    private int furtherDumps;
    private long unknown;
    private String firstUnknown = "";

    /** The form of the rows after a header; empty in a detailed file. */
    private Optional<Pattern> rowForm = Optional.empty();

    // The last dump
    private final Map<BufferType, MemorySection> sections = new EnumMap<>(BufferType.class);
    private Optional<ReportedMemory> freeOfL1 = Optional.empty();
    private Optional<MemorySection> section = Optional.empty();

    private MemoryReportParser() {}

    /** Returns whether a file with this beginning is a report. */
    public static boolean isMemoryReport(String beginning) {
        List<String> first = withoutMark(beginning).lines().limit(2).toList();
        String line = first.isEmpty() ? "" : first.get(0);
        return L1_TITLE.matcher(line).lookingAt()
                || HEADER.matcher(line).find()
                || (HEADING.matcher(line).matches()
                        && first.size() == 2
                        && first.get(1).startsWith(",Total allocatable ("));
    }

    private static String withoutMark(String text) {
        return text.startsWith("\uFEFF") ? text.substring(1) : text;
    }

    /**
     * Parses a report.
     *
     * @param damage why the text is not all of it, if it is not
     */
    public static MemoryReport parse(String text, Optional<String> damage, String name) {
        MemoryReportParser parser = new MemoryReportParser();
        parser.read(withoutMark(text));
        damage.ifPresent(reason -> parser.notes.add("It was not read to its end: " + reason + "."));
        List<ReportedMemory> memories = parser.memories();
        return new MemoryReport(
                name,
                memories,
                parser.isRounded,
                parser.programs > 0 ? OptionalInt.of(parser.programs) : OptionalInt.empty(),
                parser.notes);
    }

    private void read(String text) {
        List<String> lines = text.lines().toList();
        int whole = text.endsWith("\n") ? lines.size() : lines.size() - 1;
        for (int i = 0; i < whole; i++) {
            if (!isRead(lines.get(i)) && unknown++ == 0) {
                firstUnknown = String.format(Locale.ROOT, "line %d: \"%s\"", i + 1, excerpt(lines.get(i)));
            }
        }
        if (whole < lines.size()) {
            notes.add(String.format(Locale.ROOT, "It ends in the middle of line %d, which is not used.", lines.size()));
        }
        if (unknown > 0) {
            notes.add(Quantities.count(unknown, "line") + " of it " + (unknown == 1 ? "has" : "have")
                    + " no known form and " + (unknown == 1 ? "is" : "are") + " not used (" + firstUnknown + ").");
        }
        if (furtherDumps > 0) {
            notes.add("It has " + (furtherDumps + 1) + " dumps, and the last one is read: give each in its own file.");
        }
    }

    private static String excerpt(String line) {
        return PrintableText.line(line.length() > MAX_EXCERPT ? line.substring(0, MAX_EXCERPT) + "…" : line);
    }

    private List<ReportedMemory> memories() {
        List<ReportedMemory> memories = new ArrayList<>();
        freeOfL1.ifPresent(memories::add);
        sections.values()
                .forEach(
                        memory -> memory.memory(isRounded ? UNIT - 1 : 0, notes).ifPresent(memories::add));
        if (memories.isEmpty()) {
            notes.add("It shows no memory.");
        }
        if (freeOfL1.isEmpty()) {
            Stream.of(BufferType.DRAM, BufferType.L1)
                    .filter(memory -> !sections.containsKey(memory))
                    .forEach(memory -> notes.add("It has no figures of " + memory + ", so it is not whole."));
        }
        return memories;
    }

    /** Reads a line; returns whether it has a known form, at a place for it. */
    private boolean isRead(String line) {
        if (line.isBlank() || L1_TITLE.matcher(line).lookingAt()) {
            return true;
        }
        Matcher header = HEADER.matcher(line);
        if (header.find()) {
            if (!sections.isEmpty() || freeOfL1.isPresent()) {
                furtherDumps++;
                dumpBegan();
            }
            isRounded = header.group(1).equals("KB");
            rowForm = Optional.of(line.contains("Contiguous") ? L1_ROW : ROW);
            return true;
        }
        return rowForm.isPresent() ? isRow(rowForm.get().matcher(line)) : isDetail(line);
    }

    private void dumpBegan() {
        sections.clear();
        freeOfL1 = Optional.empty();
        section = Optional.empty();
    }

    /** Begins the dump of a program if it has a number; only the last dump is kept. */
    private void programBegan(String number) {
        if (!number.isEmpty()) {
            programs++;
            dumpBegan();
        }
    }

    private static long bytes(String number, boolean isInKilobytes) {
        return Long.parseLong(number) * (isInKilobytes ? UNIT : 1);
    }

    // Summaries

    private boolean isRow(Matcher row) {
        if (!row.matches()) {
            return false;
        }
        programBegan(row.group(1));
        if (row.pattern() == L1_ROW) {
            freeOfL1 = Optional.of(freeOfL1(bytes(row.group(2), isRounded), bytes(row.group(3), isRounded)));
            return true;
        }
        Optional<BufferType> type = ROWS.stream().skip(sections.size()).findFirst();
        type.ifPresent(memory -> {
            MemorySection begun = new MemorySection(memory);
            for (int group = 2; group <= row.groupCount(); group++) {
                begun.addFigure(bytes(row.group(group), isRounded));
            }
            sections.put(memory, begun);
        });
        return type.isPresent();
    }

    /** The summary of L1 has the largest free block of a bank, and the same times the number of banks. */
    private static ReportedMemory freeOfL1(long largest, long all) {
        boolean isMultiple = largest > 0 && all > 0 && all % largest == 0 && all / largest <= MemorySection.MAX_BANKS;
        return new ReportedMemory(
                BufferType.L1,
                isMultiple ? OptionalInt.of((int) (all / largest)) : OptionalInt.empty(),
                Optional.empty(),
                Optional.empty(),
                OptionalLong.of(largest),
                List.of());
    }

    // The detailed report

    private boolean isDetail(String line) {
        Matcher heading = HEADING.matcher(line);
        if (heading.matches()) {
            programBegan(heading.group(1));
            BufferType type = BufferType.valueOf(heading.group(2));
            if (sections.containsKey(type)) {
                furtherDumps++;
                dumpBegan();
            }
            MemorySection begun = new MemorySection(type);
            sections.put(type, begun);
            section = Optional.of(begun);
            return true;
        }
        return DECORATION.matcher(line).matches() || (section.isPresent() && isPart(line, section.get()));
    }

    private boolean isPart(String line, MemorySection current) {
        Matcher block = BLOCK.matcher(line);
        if (block.matches()) {
            current.add(new MemoryBlock(
                    Long.parseLong(block.group(1)),
                    Long.parseLong(block.group(2)),
                    block.group(3).equals("yes")));
            return true;
        }
        Matcher total = TOTAL.matcher(line);
        boolean isNext = total.matches() && current.expects(total.group(1));
        if (isNext) {
            boolean isInKilobytes = total.group(2).equals("KB");
            isRounded |= isInKilobytes;
            current.addFigure(bytes(total.group(3), isInKilobytes));
        }
        return isNext;
    }
}
