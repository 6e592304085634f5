package dev.meshguard.capture.evidence;

import dev.meshguard.event.BufferType;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * A memory report, one of the CSV files that {@code ttnn.device.dump_device_memory_state} writes: the memory of one device
 * at one moment.
 *
 * <p>Two files of a dump are read: {@code detailed_memory_usage.csv}, and {@code memory_usage_summary.csv}, which has no
 * blocks. The third, {@code l1_usage_summary.csv}, has only the largest free block of L1, which the summary has too.
 *
 * <p>A report names neither its device nor its moment, and no buffer: the addresses of its blocks begin at 0 with the
 * memory that the allocator manages. Circular buffers, and buffers of a sub-device's own allocator, are not in it.
 *
 * <p>Immutable and safe for use by several threads.
 *
 * @param name the name of the file
 * @param memories the memories, in the order of the file
 * @param isRounded whether each number was rounded down to a multiple of 1024 bytes, as older versions do; sizes are bytes all
 *     the same
 * @param notes what was not read or contradicts itself, as whole sentences
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record MemoryReport(String name, List<ReportedMemory> memories, boolean isRounded, List<String> notes)
        implements RuntimeEvidence {

    /**
     * A memory of the device.
     *
     * @param type which one
     * @param banks the number of its banks, if the file shows it
     * @param bank the memory of one bank, of the fullest if they differ
     * @param all the memory of all banks
     * @param largestFree the bytes of the largest free block of a bank
     * @param blocks the blocks of one bank by address, if the file has them
     */
    public record ReportedMemory(
            BufferType type,
            OptionalInt banks,
            Optional<Amounts> bank,
            Optional<Amounts> all,
            OptionalLong largestFree,
            List<MemoryBlock> blocks) {

        /** Creates the record with its own copy of the list. */
        public ReportedMemory {
            blocks = List.copyOf(blocks);
        }

        /** Returns the number of buffers, each of which has one block in each bank; empty if the file has no blocks. */
        public OptionalInt buffers() {
            return blocks.isEmpty()
                    ? OptionalInt.empty()
                    : OptionalInt.of((int)
                            blocks.stream().filter(MemoryBlock::isAllocated).count());
        }

        /** Returns the number of free blocks in a bank; empty if the file has no blocks. */
        public OptionalInt freeBlocks() {
            return blocks.isEmpty()
                    ? OptionalInt.empty()
                    : OptionalInt.of(blocks.size() - buffers().orElseThrow());
        }

        /** Returns the allocated bytes, of all banks if they are known, else of one. */
        public long allocated() {
            return all.or(() -> bank).map(Amounts::allocated).orElse(0L);
        }
    }

    /**
     * Bytes of memory.
     *
     * @param allocatable all
     * @param allocated those in buffers
     * @param free the others
     * @param rounding at most this many bytes more are allocated, because numbers were rounded down
     */
    public record Amounts(long allocatable, long allocated, long free, long rounding) {}

    /**
     * A block of one bank.
     *
     * @param address its first byte, from the beginning of the memory that the allocator manages
     * @param size its bytes
     * @param isAllocated whether a buffer has it
     */
    public record MemoryBlock(long address, long size, boolean isAllocated) {}

    /** Creates the record with its own copies of the lists. */
    public MemoryReport {
        memories = List.copyOf(memories);
        notes = List.copyOf(notes);
    }

    @Override
    public boolean hasAllocatedMemory() {
        return memories.stream().anyMatch(memory -> memory.allocated() > 0);
    }
}
