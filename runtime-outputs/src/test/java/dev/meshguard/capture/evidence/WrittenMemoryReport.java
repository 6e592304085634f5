package dev.meshguard.capture.evidence;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.LongStream;

/** The files of a memory report, as tt-metal writes them; shares no code with the reader. */
final class WrittenMemoryReport {

    private final String unit;
    private final StringBuilder rows = new StringBuilder();
    private final StringBuilder sections = new StringBuilder();

    /**
     * Begins the dump of a device.
     *
     * @param unit the unit of the version: B, or KB for numbers that are rounded down
     */
    WrittenMemoryReport(String unit) {
        this.unit = unit;
    }

    /** Adds a memory with these blocks in each bank, side by side: the size of each, negative for a hole. */
    WrittenMemoryReport memory(String name, int banks, long... blocks) {
        long taken = Arrays.stream(blocks).filter(block -> block > 0).sum();
        long free = -Arrays.stream(blocks).filter(block -> block < 0).sum();
        long largest = -Math.min(0, Arrays.stream(blocks).min().orElse(0));
        LongStream.of(taken + free, taken, free, largest)
                .forEach(bytes -> rows.append(',').append(inUnit(bytes)));
        rows.append('\n');
        sections.append(String.format(
                Locale.ROOT,
                """
                ,%s
                ,Total allocatable (%s):,%d
                ,Total allocated (%2$s):,%d
                ,Total free (%2$s):,%d
                FreeListOpt allocator info:
                segregated free blocks by size:
                  Size class 0: (1024 - 2048) blocks:
                  Size class 1: (2048 - inf) blocks: 3
                Free slots in block table: 5 6 7
                Block table:
                %s""",
                name,
                unit,
                inUnit((taken + free) * banks),
                inUnit(taken * banks),
                inUnit(free * banks),
                table(blocks)));
        return this;
    }

    private long inUnit(long bytes) {
        return unit.equals("KB") ? bytes / 1_024 : bytes;
    }

    /** Rows are in the order of slots, here from the last block to the first. */
    private String table(long... blocks) {
        String table = "";
        long address = 0;
        for (int i = 0; i < blocks.length; i++) {
            long size = Math.abs(blocks[i]);
            Object next = i == blocks.length - 1 ? "none" : i + 1;
            table = row(i, inUnit(address), inUnit(size), i == 0 ? "none" : i - 1, next, blocks[i] > 0 ? "yes" : "no")
                    + table;
            address += size;
        }
        return row("Block", "Address", "Size", "PrevID", "NextID", "Allocated") + table;
    }

    private static String row(Object... cells) {
        return String.format(Locale.ROOT, "%12s %12s %12s %12s %12s %12s %n", cells);
    }

    /** Returns {@code memory_usage_summary.csv}. */
    String summary() {
        return ", Total Allocatable Size (" + unit + "), Total Allocated (" + unit
                + "), Total Free (KB), Largest Free Block (KB)\n" + rows;
    }

    /** Returns {@code detailed_memory_usage.csv}. */
    String detailed() {
        return sections.toString();
    }
}
