package dev.meshguard.capture.evidence.internal;

import dev.meshguard.capture.evidence.MemoryReport;
import dev.meshguard.capture.evidence.MemoryReport.MemoryBlock;
import dev.meshguard.capture.evidence.MemoryReport.ReportedMemory;
import dev.meshguard.capture.evidence.internal.MemorySection.Figure;
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
import org.jspecify.annotations.Nullable;

/**
 * Parses a memory report, of which only the summaries are real CSV.
 *
 * <p>The forms are those of {@code memory_reporter.cpp} and {@code free_list_opt.cpp}. Labels decide the unit: {@code (KB)}
 * numbers were rounded down. The labels of the newer summary say KB of free bytes, so that of the first number counts.
 *
 * <p>A number of more digits than any memory has is none. So no sum of two numbers in bytes overflows.
 */
final class MemoryReportParser {

    private static final Pattern L1_TITLE =
            Pattern.compile("This report indicates available space for interleaving L1");
    private static final Pattern HEADER =
            Pattern.compile("(?:Total Allocatable Size|Largest Contiguous Free Block) \\((KB|B)\\)");

    private static final String PROGRAM = "\\s*(\\d{0,15})\\s*,\\s*";
    private static final String NUMBER = "(\\d{1,15})\\s*";
    private static final String NEXT = ",\\s*" + NUMBER;
    /** Before the numbers, the oldest summaries have a channel or core, and the number of a bank. */
    private static final Pattern ROW = Pattern.compile(
            PROGRAM + "(?:(\\d{1,15}|\"[^\"]*\")\\s*,\\s*\\d{1,15}\\s*,\\s*)?" + NUMBER + NEXT + NEXT + NEXT);

    private static final Pattern L1_ROW = Pattern.compile(PROGRAM + NUMBER + NEXT);

    private static final Pattern HEADING =
            Pattern.compile(PROGRAM + "(?:(DRAM|L1|L1_SMALL|TRACE)\\s*|\"?(DRAM channel ID|Logical core)\\b.*)");
    private static final Pattern BANK = Pattern.compile("Bank ID:\\s*,\\s*\\d{1,15}\\s*");
    private static final Pattern TOTAL = Pattern.compile(
            ",{1,2}\\s*(Total allocatable|Total allocated|Total free|Largest free block) \\((KB|B)\\):\\s*,?\\s*"
                    + NUMBER);
    private static final Pattern BLOCK =
            Pattern.compile("\\s*\\d{1,15}\\s+(\\d{1,15})\\s+(\\d{1,15})\\s+(?:none|\\d{1,15})"
                    + "\\s+(?:none|\\d{1,15})\\s+(yes|no)\\s*");
    private static final Pattern DECORATION = Pattern.compile(
            "FreeListOpt allocator info:|segregated free blocks by size:|\\s*Size class \\d+:.*|Free slots in block table:.*"
                    + "|Block table:|\\s*Block\\s+Address\\s+Size\\s+PrevID\\s+NextID\\s+Allocated\\s*");

    /** The order of the rows of a summary, which have no names. */
    private static final BufferType[] ROWS = {BufferType.DRAM, BufferType.L1, BufferType.L1_SMALL};

    private static final int UNIT = 1_024;

    private static final int MAX_EXCERPT = 60;

    private final List<String> notes = new ArrayList<>();
    private boolean isRounded;
    private int programs;
    private int furtherDumps;
    private long unknown;
    private String firstUnknown = "";

    /** The form of the rows after a header; empty before the first. */
    private Optional<Pattern> rowForm = Optional.empty();

    // The last dump
    private final Map<BufferType, List<MemorySection>> sections = new EnumMap<>(BufferType.class);
    private Optional<ReportedMemory> freeOfL1 = Optional.empty();
    private int rows;
    private BufferType type = BufferType.DRAM;
    private Optional<MemorySection> section = Optional.empty();

    private MemoryReportParser() {}

    /** Returns whether a file with this beginning is a report. */
    static boolean isMemoryReport(String beginning) {
        List<String> first = withoutMark(beginning).lines().limit(2).toList();
        if (first.isEmpty()) {
            return false;
        }
        String line = first.get(0);
        return L1_TITLE.matcher(line).lookingAt()
                || HEADER.matcher(line).find()
                || (first.size() == 2
                        && first.get(1).startsWith(",Total allocatable (")
                        && HEADING.matcher(line).matches());
    }

    private static String withoutMark(String text) {
        return text.startsWith("\uFEFF") ? text.substring(1) : text;
    }

    /**
     * Parses a report.
     *
     * @param damage why the text is not all of it, if it is not
     */
    static MemoryReport parse(String text, Optional<String> damage, String name) {
        return new MemoryReportParser().read(withoutMark(text), damage, name);
    }

    private MemoryReport read(String text, Optional<String> damage, String name) {
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
        damage.ifPresent(reason -> notes.add("It was not read to its end: " + reason + "."));
        if (unknown > 0) {
            notes.add(Quantities.count(unknown, "line") + " of it " + (unknown == 1 ? "has" : "have")
                    + " no known form and " + (unknown == 1 ? "is" : "are") + " not used (" + firstUnknown + ").");
        }
        if (furtherDumps > 0) {
            notes.add("It has " + (furtherDumps + 1) + " dumps, and the last one is read: give each in its own file.");
        }
        List<ReportedMemory> memories = memories();
        return new MemoryReport(
                name, memories, isRounded, programs > 0 ? OptionalInt.of(programs) : OptionalInt.empty(), notes);
    }

    private static String excerpt(String line) {
        return PrintableText.line(line.length() > MAX_EXCERPT ? line.substring(0, MAX_EXCERPT) + "…" : line);
    }

    private List<ReportedMemory> memories() {
        List<ReportedMemory> memories = new ArrayList<>();
        freeOfL1.ifPresent(memories::add);
        sections.forEach((memory, all) -> MemorySection.memory(memory, all, isRounded ? UNIT - 1 : 0, notes)
                .ifPresent(memories::add));
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
        rows = 0;
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

    private MemorySection begin(BufferType memory, boolean isBank) {
        MemorySection begun = new MemorySection(isBank);
        sections.computeIfAbsent(memory, first -> new ArrayList<>()).add(begun);
        return begun;
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
        String place = row.group(2);
        if (place == null) {
            boolean isKnown = rows < ROWS.length;
            if (isKnown) {
                figures(begin(ROWS[rows++], true), row);
            }
            return isKnown;
        }
        // A channel is a number, and a core has coordinates.
        BufferType memory = place.startsWith("\"") ? BufferType.L1 : BufferType.DRAM;
        figures(begin(memory, true), row);
        figures(begin(memory, false), row);
        return true;
    }

    private void figures(MemorySection begun, Matcher row) {
        for (Figure figure : Figure.values()) {
            begun.add(figure, bytes(row.group(3 + figure.ordinal()), isRounded));
        }
    }

    /** The summary of L1 has the largest free block of a bank, and the same times the number of banks. */
    private static ReportedMemory freeOfL1(long largest, long total) {
        boolean isMultiple = largest > 0 && total % largest == 0 && total / largest <= MemorySection.MAX_BANKS;
        return new ReportedMemory(
                BufferType.L1,
                isMultiple && total > 0 ? OptionalInt.of((int) (total / largest)) : OptionalInt.empty(),
                Optional.empty(),
                Optional.empty(),
                OptionalLong.of(largest),
                List.of());
    }

    // The detailed report

    private boolean isDetail(String line) {
        Matcher heading = HEADING.matcher(line);
        if (heading.matches()) {
            heading(heading.group(1), heading.group(2), heading.group(3));
            return true;
        }
        return DECORATION.matcher(line).matches() || section.isPresent() && isPart(line, section.get());
    }

    private void heading(String program, @Nullable String memory, @Nullable String channel) {
        programBegan(program);
        if (memory == null) {
            type = "Logical core".equals(channel) ? BufferType.L1 : BufferType.DRAM;
        } else {
            type = BufferType.valueOf(memory);
            if (sections.containsKey(type)) {
                furtherDumps++;
                dumpBegan();
            }
        }
        section = Optional.of(begin(type, false));
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
        if (total.matches()) {
            boolean isInKilobytes = total.group(2).equals("KB");
            isRounded |= isInKilobytes;
            return current.add(Figure.of(total.group(1)), bytes(total.group(3), isInKilobytes));
        }
        boolean isBank = BANK.matcher(line).matches();
        if (isBank) {
            section = Optional.of(begin(type, true));
        }
        return isBank;
    }
}
