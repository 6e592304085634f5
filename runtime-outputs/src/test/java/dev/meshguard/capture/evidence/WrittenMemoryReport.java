package dev.meshguard.capture.evidence;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The three files of a memory report, as a version of tt-metal writes them; shares no code with the reader. */
public final class WrittenMemoryReport {

    /** The versions, which differ in units and layout. */
    public enum Age {
        /** In KB. */
        KILOBYTES,
        /** In bytes, though two labels of the summary say KB. */
        BYTES
    }

    /** A block of each bank of a memory. */
    public record Block(long size, boolean isAllocated) {

        /** Returns the block of a buffer. */
        public static Block taken(long size) {
            return new Block(size, true);
        }

        /** Returns a hole. */
        public static Block hole(long size) {
            return new Block(size, false);
        }
    }

    private record Memory(String name, int banks, List<Block> blocks) {

        long size() {
            return blocks.stream().mapToLong(Block::size).sum();
        }

        long allocated() {
            return blocks.stream()
                    .filter(Block::isAllocated)
                    .mapToLong(Block::size)
                    .sum();
        }

        long largestFree() {
            return blocks.stream()
                    .filter(block -> !block.isAllocated())
                    .mapToLong(Block::size)
                    .max()
                    .orElse(0);
        }
    }

    private final Age age;
    private final String program;
    private final List<Memory> memories = new ArrayList<>();

    /** Begins the dump of a device. */
    public WrittenMemoryReport(Age age) {
        this(age, "");
    }

    /** Begins the dump at the compilation of a program. */
    public WrittenMemoryReport(Age age, String program) {
        this.age = age;
        this.program = program;
    }

    /** Adds a memory with the same blocks in each bank, from its first address on. */
    public WrittenMemoryReport memory(String name, int banks, Block... blocks) {
        memories.add(new Memory(name, banks, List.of(blocks)));
        return this;
    }

    private long unit(long bytes) {
        return age == Age.BYTES ? bytes : bytes / 1_024;
    }

    private String label() {
        return age == Age.BYTES ? "(B)" : "(KB)";
    }

    /** Returns the first lines of {@code memory_usage_summary.csv}. */
    public String summaryHeader() {
        String first = program.isEmpty() ? "" : "Program ID";
        return first + ", Total Allocatable Size " + label() + ", Total Allocated " + label()
                + ", Total Free (KB), Largest Free Block (KB)\n";
    }

    /** Returns the rows of {@code memory_usage_summary.csv}. */
    public String summaryRows() {
        StringBuilder rows = new StringBuilder(program);
        for (Memory memory : memories) {
            rows.append(String.format(
                    Locale.ROOT,
                    ",%d,%d,%d,%d%n",
                    unit(memory.size()),
                    unit(memory.allocated()),
                    unit(memory.size() - memory.allocated()),
                    unit(memory.largestFree())));
        }
        return rows.toString();
    }

    /** Returns {@code memory_usage_summary.csv}. */
    public String summary() {
        return summaryHeader() + summaryRows();
    }

    /** Returns {@code l1_usage_summary.csv}. */
    public String l1Summary() {
        Memory l1 = memories.stream()
                .filter(memory -> memory.name().equals("L1"))
                .findFirst()
                .orElseThrow();
        long largest = unit(l1.largestFree());
        return "This report indicates available space for interleaving L1 buffers\n"
                + (program.isEmpty() ? "" : "Program ID")
                + ", Largest Contiguous Free Block " + label() + ", Total Free L1 Space " + label() + "\n"
                + program + "," + largest + "," + largest * l1.banks() + "\n";
    }

    /** Returns {@code detailed_memory_usage.csv}. */
    public String detailed() {
        return memories.stream().map(this::section).collect(Collectors.joining("", program, ""));
    }

    private String section(Memory memory) {
        StringBuilder text = new StringBuilder("," + memory.name() + "\n")
                .append(total("Total allocatable ", memory.size(), memory))
                .append(total("Total allocated ", memory.allocated(), memory))
                .append(total("Total free ", memory.size() - memory.allocated(), memory))
                .append("FreeListOpt allocator info:\nsegregated free blocks by size:\n")
                .append("  Size class 0: (1024 - 2048) blocks: \n  Size class 1: (2048 - inf) blocks: 3\n")
                .append("Free slots in block table: 5 6 7\nBlock table:\n")
                .append(row("Block", "Address", "Size", "PrevID", "NextID", "Allocated"));
        long address = 0;
        List<String> rows = new ArrayList<>();
        for (int i = 0; i < memory.blocks().size(); i++) {
            Block block = memory.blocks().get(i);
            rows.add(row(
                    i,
                    unit(address),
                    unit(block.size()),
                    i == 0 ? "none" : i - 1,
                    i == memory.blocks().size() - 1 ? "none" : i + 1,
                    block.isAllocated() ? "yes" : "no"));
            address += block.size();
        }
        // Rows are in the order of slots.
        for (int i = rows.size() - 1; i >= 0; i--) {
            text.append(rows.get(i));
        }
        return text.toString();
    }

    private String total(String name, long bytes, Memory memory) {
        return "," + name + label() + ":," + unit(bytes * memory.banks()) + "\n";
    }

    private static String row(Object... cells) {
        StringBuilder row = new StringBuilder();
        for (Object cell : cells) {
            row.append(String.format(Locale.ROOT, "%12s ", cell));
        }
        return row.append('\n').toString();
    }
}
