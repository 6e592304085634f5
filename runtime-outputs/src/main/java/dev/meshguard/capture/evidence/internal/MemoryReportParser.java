package dev.meshguard.capture.evidence.internal;

import dev.meshguard.capture.evidence.MemoryReport;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.Quantities;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Parses a memory report, of which only the summaries are real CSV.
 *
 * <p>The forms are those of {@code memory_reporter.cpp} and {@code free_list_opt.cpp}. Labels decide the unit: {@code (KB)}
 * numbers were rounded down. The labels of the newer summary say KB of free bytes, so that of the allocatable size counts.
 */
final class MemoryReportParser {

    private static final Pattern L1_TITLE =
            Pattern.compile("This report indicates available space for interleaving L1");
    private static final Pattern SUMMARY_HEADER = Pattern.compile("\\bTotal Allocatable Size \\((KB|B)\\)");
    private static final Pattern L1_HEADER = Pattern.compile("Largest Contiguous Free Block \\((KB|B)\\)");
    private static final Pattern MEMORY = Pattern.compile("(\\d{0,18})\\s*,\\s*(DRAM|L1|L1_SMALL|TRACE)\\s*");
    private static final Pattern CHANNEL =
            Pattern.compile("(\\d{0,18})\\s*,\\s*\"?(DRAM channel ID|Logical core)\\b.*");
    private static final Pattern TOTAL = Pattern.compile(
            ",{1,2}\\s*(Total allocatable|Total allocated|Total free|Largest free block) \\((KB|B)\\):\\s*,?\\s*(\\d{1,18})\\s*");
    private static final Pattern BANK = Pattern.compile("Bank ID:\\s*,\\s*\\d{1,18}\\s*");
    private static final Pattern BLOCK = Pattern.compile(
            "\\s*\\d{1,18}\\s+(\\d{1,18})\\s+(\\d{1,18})\\s+(?:none|\\d{1,18})\\s+(?:none|\\d{1,18})\\s+(yes|no)\\s*");
    private static final Pattern DECORATION = Pattern.compile(
            "FreeListOpt allocator info:|segregated free blocks by size:|\\s*Size class \\d+:.*|Free slots in block table:.*"
                    + "|Block table:|\\s*Block\\s+Address\\s+Size\\s+PrevID\\s+NextID\\s+Allocated\\s*");

    /** The order of the rows of a summary, which have no names. */
    private static final BufferType[] ROWS = {BufferType.DRAM, BufferType.L1, BufferType.L1_SMALL};

    private static final int UNIT = 1_024;

    private enum Form {
        UNKNOWN,
        SUMMARY,
        SUMMARY_OF_BANKS,
        L1_SUMMARY,
        DETAILED
    }

    private final BoundedLines lines;
    private final List<String> notes = new ArrayList<>();
    private Form form = Form.UNKNOWN;
    private List<String> columns = List.of();
    private boolean isRounded;
    private boolean hasPrograms;
    private int programs;
    private int row;
    private long unknown;
    private final Map<BufferType, MemoryCollector> memories = new EnumMap<>(BufferType.class);
    private Optional<MemoryCollector> current = Optional.empty();

    private MemoryReportParser(BoundedLines lines) {
        this.lines = lines;
    }

    /** Returns whether a file with this beginning is a report. */
    static boolean isMemoryReport(String beginning) {
        List<String> first = beginning.lines().limit(2).toList();
        if (first.isEmpty()) {
            return false;
        }
        String line = withoutMark(first.get(0));
        return L1_TITLE.matcher(line).lookingAt()
                || SUMMARY_HEADER.matcher(line).find()
                || (first.size() == 2
                        && first.get(1).startsWith(",Total allocatable (")
                        && (MEMORY.matcher(line).matches()
                                || CHANNEL.matcher(line).matches()));
    }

    private static String withoutMark(String line) {
        return line.startsWith("\uFEFF") ? line.substring(1) : line;
    }

    static MemoryReport parse(InputStream plain, String name) throws IOException {
        return new MemoryReportParser(new BoundedLines(plain)).read(name);
    }

    private MemoryReport read(String name) throws IOException {
        for (Optional<String> line = lines.next(); line.isPresent(); line = lines.next()) {
            if (lines.isTerminated()) {
                line(lines.number() == 1 ? withoutMark(line.get()) : line.get());
            } else {
                notes.add(String.format(
                        Locale.ROOT, "It ends in the middle of line %d, which is not used.", lines.number()));
            }
        }
        lines.damage().ifPresent(damage -> notes.add("It was not read to its end: " + damage + "."));
        List<MemoryReport.ReportedMemory> reported = new ArrayList<>();
        memories.forEach((type, memory) -> memory.reported(notes).ifPresent(reported::add));
        if (unknown > 0) {
            notes.add(Quantities.count(unknown, "line") + " of it " + (unknown == 1 ? "has" : "have")
                    + " no known form and " + (unknown == 1 ? "is" : "are") + " not used.");
        }
        if (reported.isEmpty()) {
            notes.add("It shows no memory.");
        }
        return new MemoryReport(
                name, reported, isRounded, hasPrograms ? OptionalInt.of(programs) : OptionalInt.empty(), notes);
    }

    private void line(String line) {
        if (line.isBlank() || L1_TITLE.matcher(line).lookingAt()) {
            return;
        }
        Matcher summary = SUMMARY_HEADER.matcher(line);
        if (summary.find()) {
            header(line, summary.group(1));
            form = indexOf("bank id") < 0 ? Form.SUMMARY : Form.SUMMARY_OF_BANKS;
            return;
        }
        Matcher l1 = L1_HEADER.matcher(line);
        if (l1.find()) {
            header(line, l1.group(1));
            form = Form.L1_SUMMARY;
            return;
        }
        switch (form) {
            case SUMMARY, SUMMARY_OF_BANKS, L1_SUMMARY -> row(cells(line));
            case UNKNOWN, DETAILED -> detail(line);
        }
    }

    // Summaries

    private void header(String line, String unit) {
        columns = cells(line.toLowerCase(Locale.ROOT));
        isRounded = unit.equals("KB");
        hasPrograms = columns.get(0).equals("program id");
    }

    private int indexOf(String column) {
        for (int i = 0; i < columns.size(); i++) {
            if (columns.get(i).contains(column)) {
                return i;
            }
        }
        return -1;
    }

    /** Splits a line at commas; a coordinate in quotes has one. */
    private static List<String> cells(String line) {
        List<String> cells = new ArrayList<>();
        StringBuilder cell = new StringBuilder();
        boolean isQuoted = false;
        for (int i = 0; i < line.length(); i++) {
            char one = line.charAt(i);
            if (one == '"') {
                isQuoted = !isQuoted;
            } else if (one == ',' && !isQuoted) {
                cells.add(cell.toString().strip());
                cell.setLength(0);
            } else {
                cell.append(one);
            }
        }
        cells.add(cell.toString().strip());
        return cells;
    }

    private void row(List<String> cells) {
        if (number(cells, 0).isPresent()) {
            programBegan();
        }
        if (form == Form.L1_SUMMARY) {
            OptionalLong largest = number(cells, indexOf("largest contiguous"));
            OptionalLong total = number(cells, indexOf("total free"));
            if (largest.isPresent() && total.isPresent()) {
                memory(BufferType.L1).largestFree(bytes(largest.getAsLong()));
                memory(BufferType.L1).freeOfAllBanks(bytes(total.getAsLong()));
            } else {
                unknown++;
            }
            return;
        }
        Optional<BufferType> type = typeOfRow(cells);
        OptionalLong allocatable = number(cells, indexOf("total allocatable size"));
        OptionalLong allocated = number(cells, indexOf("total allocated"));
        OptionalLong free = number(cells, indexOf("total free"));
        OptionalLong largest = number(cells, indexOf("largest free block"));
        if (type.isEmpty() || allocatable.isEmpty() || allocated.isEmpty() || free.isEmpty()) {
            unknown++;
            return;
        }
        MemoryCollector memory = memory(type.get());
        memory.bank(
                bytes(allocatable.getAsLong()),
                bytes(allocated.getAsLong()),
                bytes(free.getAsLong()),
                form == Form.SUMMARY_OF_BANKS);
        largest.ifPresent(block -> memory.largestFree(bytes(block)));
    }

    private Optional<BufferType> typeOfRow(List<String> cells) {
        if (form == Form.SUMMARY) {
            int index = row++;
            return index < ROWS.length ? Optional.of(ROWS[index]) : Optional.empty();
        }
        int place = indexOf("logical core");
        if (place < 0 || place >= cells.size() || cells.get(place).isEmpty()) {
            return Optional.empty();
        }
        // A channel is a number, and a core has coordinates.
        return Optional.of(number(cells, place).isPresent() ? BufferType.DRAM : BufferType.L1);
    }

    private static OptionalLong number(List<String> cells, int index) {
        if (index < 0 || index >= cells.size()) {
            return OptionalLong.empty();
        }
        String cell = cells.get(index);
        boolean isNumber =
                !cell.isEmpty() && cell.length() <= 18 && cell.chars().allMatch(digit -> digit >= '0' && digit <= '9');
        return isNumber ? OptionalLong.of(Long.parseLong(cell)) : OptionalLong.empty();
    }

    private long bytes(long number) {
        return !isRounded ? number : number > Long.MAX_VALUE / UNIT ? Long.MAX_VALUE : number * UNIT;
    }

    // The detailed report

    private void detail(String line) {
        Matcher memory = MEMORY.matcher(line);
        if (memory.matches()) {
            begin(
                    memory.group(1),
                    Arrays.stream(BufferType.values())
                            .filter(type -> type.name().equals(memory.group(2)))
                            .findFirst()
                            .orElseThrow());
            return;
        }
        Matcher channel = CHANNEL.matcher(line);
        if (channel.matches()) {
            begin(channel.group(1), channel.group(2).startsWith("DRAM") ? BufferType.DRAM : BufferType.L1);
            return;
        }
        Matcher block = BLOCK.matcher(line);
        if (current.isPresent() && block.matches()) {
            current.get()
                    .block(
                            Long.parseLong(block.group(1)),
                            Long.parseLong(block.group(2)),
                            block.group(3).equals("yes"));
            return;
        }
        Matcher total = TOTAL.matcher(line);
        if (current.isPresent() && total.matches()) {
            isRounded |= total.group(2).equals("KB");
            current.get().total(total.group(1), bytes(Long.parseLong(total.group(3))));
        } else if (current.isPresent() && BANK.matcher(line).matches()) {
            current.get().bankBegan();
        } else if (!DECORATION.matcher(line).matches()) {
            unknown++;
        }
    }

    private void begin(String program, BufferType type) {
        form = Form.DETAILED;
        if (!program.isEmpty()) {
            hasPrograms = true;
            programBegan();
        }
        MemoryCollector memory = memory(type);
        memory.sectionBegan();
        current = Optional.of(memory);
    }

    /** Only the last dump is kept. */
    private void programBegan() {
        programs++;
        row = 0;
        memories.clear();
        current = Optional.empty();
    }

    private MemoryCollector memory(BufferType type) {
        return memories.computeIfAbsent(type, first -> new MemoryCollector(type, () -> isRounded ? UNIT - 1 : 0));
    }
}
