package dev.meshguard.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code meshguard analyze} and {@code diff} of memory reports and shared memory, and texts of the runtime in logs and captures. */
class AnalyzeEvidenceTests {

    static final String DETAILED = """
            ,DRAM
            ,Total allocatable (B):,98304
            ,Total allocated (B):,24576
            ,Total free (B):,73728
            FreeListOpt allocator info:
            segregated free blocks by size:
              Size class 0: (1024 - 2048) blocks:
              Size class 1: (2048 - inf) blocks: 1 3
            Free slots in block table: 5 6 7
            Block table:
            Block        Address         Size       PrevID       NextID    Allocated
                       0            0         1024         none            1          yes
                       1         1024         2048            0            2           no
                       2         3072         1024            1            3          yes
                       3         4096         4096            2         none           no
            ,L1
            ,Total allocatable (B):,524288
            ,Total allocated (B):,0
            ,Total free (B):,524288
            FreeListOpt allocator info:
            Block table:
            Block        Address         Size       PrevID       NextID    Allocated
                       0            0         8192         none         none           no
            """;

    @TempDir
    Path folder;

    @Test
    void aMemoryReportShowsWhatIsAllocatedAndHowFragmentedItIs() throws IOException {
        Answer answer = Answer.to("analyze", file("detailed_memory_usage.csv", DETAILED));

        assertThat(answer.err()).isEmpty();
        assertThat(answer.out().replace(folder + "/", "")).isEqualTo("""
                detailed_memory_usage.csv: 2 memories of one device at one moment (memory report)

                INCONCLUSIVE  24 KiB (24576 B) was allocated at that moment

                  memory  banks  allocated         of a bank       free            largest free    holes  buffers
                  DRAM    12     24 KiB (24576 B)  2 KiB (2048 B)  6 KiB (6144 B)  4 KiB (4096 B)  2      2
                  L1      64     0 B               0 B             8 KiB (8192 B)  8 KiB (8192 B)  1      0

                note    Memory of one moment may be freed later. If nothing may be allocated then, give --at-end.
                note    DRAM is fragmented: of 6 KiB (6144 B) free in a bank, at most 4 KiB (4096 B) are in one piece.
                note    It names neither the device nor a buffer, and has no circular buffers.
                """);
        assertThat(answer.status()).isEqualTo(2);
    }

    @Test
    void sharedMemoryShowsTheProcessesAndThoseThatDoNotRun() throws IOException {
        Answer answer = Answer.to("analyze", sharedMemory());

        assertThat(answer.err()).isEmpty();
        assertThat(answer.out()
                        .replace(folder + "/", "")
                        .replace(String.valueOf(ProcessHandle.current().pid()), "PID")
                        .replaceAll(" {3,}", "  "))
                .isEqualTo("""
                        tt_device_1_memory: device 0, 2 slots, updated 2099-09-01T12:00:00Z (shared memory)

                        INCONCLUSIVE  8 KiB (8192 B) is allocated, and 1 slot has no running process

                          command  status  DRAM  L1  L1_SMALL  TRACE  circular buffers (unreliable)  updated
                          device  -  -  0 B  8 KiB (8192 B)  0 B  0 B  0 B  2099-09-01T12:00:00Z
                          process PID  python3  running  0 B  4 KiB (4096 B)  0 B  0 B  0 B  2099-09-01T12:00:00Z
                          process 1073741824  pytest  not running  0 B  4 KiB (4096 B)  0 B  0 B  0 B  2099-09-01T12:00:00Z

                        note  Process 1073741824 (pytest) does not run, and its slot still has 4 KiB (4096 B): it was killed or crashed, or
                          runs in another container.
                        note  Totals are those of Buffer::size() over all banks. Circular buffers are unreliable: processes update them
                          rarely, and those of the device are those of its last writer.
                        """);
        assertThat(answer.status()).isEqualTo(2);
    }

    @Test
    void twoReportsDifferInWhatIsAllocatedInTheLargestFreeBlockAndInBlocks() throws IOException {
        String before = file("after_load.csv", DETAILED);
        String after = file(
                "after_run.csv",
                DETAILED.replace("B):,24576\n,Total free (B):,73728", "B):,73728\n,Total free (B):,24576")
                        .replace("4096         4096         4096            2         none           no", "")
                        .replace(
                                "3         4096         4096            2         none           no",
                                "3         4096         4096            2         none          yes"));

        Answer more = Answer.to("diff", before, after);

        assertThat(more.err()).isEmpty();
        assertThat(more.out()).isEqualTo("""
                CHANGED  between the two moments
                   DRAM allocated: 24 KiB (24576 B) -> 72 KiB (73728 B), +48 KiB (49152 B)
                   DRAM largest free block: 4 KiB (4096 B) -> 2 KiB (2048 B), -2 KiB (2048 B)
                   DRAM new: 1 block of 4 KiB (4096 B) in each bank, at 0x1000 (4096)
                """);
        assertThat(more.status()).isEqualTo(1);
        assertThat(Answer.to("diff", after, before).status()).isEqualTo(5);
        assertThat(Answer.to("diff", before, before)).isEqualTo(new Answer(0, "SAME USAGE  no difference\n", ""));
    }

    /** Returns a report of one bank of L1 with these blocks: the size of each, and whether a buffer has it. */
    static String withL1(Object... blocks) {
        StringBuilder table = new StringBuilder();
        long address = 0;
        long allocated = 0;
        for (int i = 0; i < blocks.length; i += 2) {
            int size = (int) blocks[i];
            table.append(String.format("%d %d %d none none %s%n", i, address, size, blocks[i + 1]));
            address += size;
            allocated += blocks[i + 1].equals("yes") ? size : 0;
        }
        return DETAILED.substring(0, DETAILED.indexOf(",L1")) + ",L1\n,Total allocatable (B):," + address
                + "\n,Total allocated (B):," + allocated + "\n,Total free (B):," + (address - allocated)
                + "\nBlock table:\n" + table;
    }

    /** Returns the memory of a device with this process and one whose number no process can have. */
    static byte[] sharedMemory(long l1) {
        long updated = Instant.parse("2099-09-01T12:00:00Z").getEpochSecond() * 1_000_000_000L;
        ByteBuffer memory = ByteBuffer.allocate(8_576).order(ByteOrder.LITTLE_ENDIAN);
        memory.putInt(0, 4).putLong(8, updated).putLong(56, l1).putInt(8_536, 0x5245_4459);
        slot(memory, 0, (int) ProcessHandle.current().pid(), "python3", l1 / 2, updated);
        slot(memory, 1, 1 << 30, "pytest", l1 / 2, updated);
        return memory.array();
    }

    private String sharedMemory() throws IOException {
        return Files.write(folder.resolve("tt_device_1_memory"), sharedMemory(8_192))
                .toString();
    }

    private static void slot(ByteBuffer memory, int slot, int processId, String command, long l1, long updated) {
        int from = 856 + 120 * slot;
        memory.putInt(from, processId).putLong(from + 16, l1).putLong(from + 48, updated);
        memory.put(from + 56, command.getBytes(StandardCharsets.US_ASCII));
    }

    private String file(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text).toString();
    }
}
