package dev.meshguard.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.BufferType;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.SurvivorGroup;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Whole texts of causes whose texts differ in more than their evidence and fix, and of all causes together. */
class CauseTextTests {

    @TestFactory
    Stream<DynamicTest> theText() {
        return ReportStory.each("""
            a process that died frees nothing any more
                mesh 0 without 0..3; phase TEST; allocate DRAM 0x1000 on 0..3, owning, process 4711; died 4711; checked

                LEAK  256 B in 4 DRAM buffers of process 4711, PROCESS_DIED; allocated in HistoryTests.java:3

                1. DRAM  4 x 64 B, one on each of devices 0-3
                   at dev.example.HistoryTests.story(HistoryTests.java:3)
                   why   PROCESS_DIED: process 4711 allocated it (events #3 to #6) and ended (event #7) without freeing it
                   fix   Free it before the process ends, on the paths of errors and signals too; a runtime that is killed frees
                         nothing.
                   seen  allocated in TEST (events #3 to #6)

                sum     4 allocated = 0 freed + 4 leaked
                expect  @ExpectBuffers(type = DRAM, size = 64, atMost = 4, origin = "HistoryTests.story", because = "…")
            of two processes that use one address the one that did not free is named
                banked addresses; phase TEST; allocate DRAM 0x40 on 0, owning, process 4711;
                allocate DRAM 0x40 on 0, owning, process 4712; free DRAM 0x40 on 0, owning, process 4711; checked

                LEAK  64 B in 1 DRAM buffer of process 4712, UNEXPLAINED
                …
            what is freed after the check is late
                mesh 0 without 0..3; phase TEST; allocate DRAM 0x1000 on 0..3, owning, label kv-cache; closing;
                witness CLOSE_BEGUN DRAM on 0..3: 0x1000; close without devices; checked; free DRAM 0x1000 on 0..3, owning

                FREED_LATE  256 B in 4 DRAM buffers were freed only after close_mesh_device began (HistoryTests.java:3)

                1. DRAM  4 x 64 B, one on each of devices 0-3, label "kv-cache"
                   at dev.example.HistoryTests.story(HistoryTests.java:3)
                   why   LATE: freed at events #11 to #14, after close began (event #7), at
                         dev.example.HistoryTests.story(HistoryTests.java:8)
                   fix   Free it before close_mesh_device begins; in try-with-resources, declare the buffer after the mesh, so that it
                         is closed first.
                   seen  allocated in TEST (events #3 to #6)
                         the allocator reported 0x1000 (4096) as allocated when close began (event #8)

                sum     4 allocated = 0 freed + 4 freed late
                expect  @ExpectBuffers(type = DRAM, size = 64, atMost = 4, label = "kv-cache", origin = "HistoryTests.story", because = "…")
            a handle that is released after the close is late
                mesh 0 over 0; phase TEST; allocate DRAM 0x1000 on 0, owning; closing; close;
                ignore DRAM 0x1000 on 0, DEVICE_CLOSED; checked

                FREED_LATE  64 B in 1 DRAM buffer was freed only after close_mesh_device began (HistoryTests.java:3)
                …
                   seen  allocated in TEST (event #4)

                sum     1 allocated = 0 freed + 1 freed late
                expect  @ExpectBuffers(type = DRAM, device = 0, size = 64, atMost = 1, origin = "HistoryTests.story", because = "…")
            one allocation was reported twice and freed once
                mesh 0 without 0; phase TEST; allocate DRAM 0x1000 on 0, owning, again NON_OWNING; free DRAM 0x1000 on 0, owning;
                closing; witness CLOSE_BEGUN DRAM on 0; close without devices; checked

                MISREPORTED  no memory leaked; 1 DRAM buffer (64 B) lacks a free report: REPORTED_TWICE

                1. DRAM  64 B on device 0
                   at dev.example.HistoryTests.story(HistoryTests.java:3)
                   why   REPORTED_TWICE: reported 2 times at one live address (events #3, #4), freed once
                   fix   Report one buffer object per physical allocation, or report the free of every object that was reported; the
                         memory itself was freed.
                   seen  allocated in TEST (event #4)
                         the allocator reported 0x1000 (4096) as free when close began (event #7)
                         the view of event #4 was destroyed without a report; the buffer that it looked at was freed at event #5

                sum     1 allocated = 0 freed + 1 misreported
                expect  until the reports are right: @ExpectBuffers(type = DRAM, device = 0, size = 64, atMost = 1, origin = "HistoryTests.story", because = "…")
            a headline of wrong reports is not wider than others
                mesh 0 without 0..3; phase TEST; allocate L1 0x18b20 on 0, owning, circular buffer of program 7 (add);
                end program 7 (add); free DRAM 0x40 on 0..3, owning; close without devices; checked

                MISREPORTED  no memory leaked; 1 L1 buffer (64 B) lacks a free report; 4 frees of nothing

                1. L1  64 B on device 0, owned by program 7 (add)
                   at dev.example.HistoryTests.story(HistoryTests.java:3)
                   why   CIRCULAR_BUFFER_UNREPORTED: program 7 (add) ended at event #4, and its free was never reported
                   fix   Report the end of a program's circular buffers when the program ends; they take no allocator memory.
                   seen  allocated in TEST (event #3)
                         circular buffers lie outside the allocator, so closing the device cannot free it
                …
            a cached program keeps its binary and its circular buffers
                mesh 0 without 0..3; phase TEST; cached program 7 (add);
                allocate L1 0x18b20 on 0, owning, circular buffer of program 7 (add);
                allocate DRAM 0x1000 on 0..3, same line, owning, of program 7 (add); closing;
                witness CLOSE_BEGUN DRAM on 0..3: 0x1000; close without devices; checked

                LEAK  320 B in 5 buffers, CACHED; allocated in HistoryTests.java:4

                1. DRAM  4 x 64 B, one on each of devices 0-3, owned by program 7 (add), and 1 buffer (64 B) with them
                   at dev.example.HistoryTests.story(HistoryTests.java:4)
                   why   CACHED: program 7 (add) has been in the program cache since event #3 and never left it
                   fix   Call mesh.disableAndClearProgramCache() before ttnn.closeMeshDevice(mesh): closing a mesh does not clear the
                         program cache.
                   seen  allocated in TEST (events #5 to #8)
                   with  L1  64 B on device 0, owned by program 7 (add)

                sum     5 allocated = 0 freed + 5 leaked
                expect  @ExpectBuffers(type = DRAM, size = 64, atMost = 4, origin = "HistoryTests.story", because = "…")
            a trace that was released keeps its buffer
                mesh 0 without 0..3; phase TEST; allocate DRAM 0x2000 on 0..3, owning, of trace 3; end trace 3; closing;
                witness CLOSE_BEGUN DRAM on 0..3: 0x2000; close without devices; checked

                LEAK  256 B in 4 DRAM buffers, KEPT_AFTER_RELEASE; allocated in HistoryTests.java:3

                1. DRAM  4 x 64 B, one on each of devices 0-3, owned by trace 3
                   at dev.example.HistoryTests.story(HistoryTests.java:3)
                   why   KEPT_AFTER_RELEASE: trace 3 was released at event #7, and its buffer was not freed
                   fix   Drop the references to the trace's buffer before the trace is released: the trace is gone, and a second release
                         does nothing.
                   seen  allocated in TEST (events #3 to #6)
                         the allocator reported 0x2000 (8192) as allocated when close began (event #9)

                sum     4 allocated = 0 freed + 4 leaked
                expect  @ExpectBuffers(type = DRAM, size = 64, atMost = 4, origin = "HistoryTests.story", because = "…")
            one device of four was forgotten
                mesh 0 without 0..3; phase TEST; allocate DRAM 0x1000 on 0..3, owning, each; free DRAM 0x1000 on 0+1+3, owning;
                closing; witness CLOSE_BEGUN DRAM on 2: 0x1000; close without devices; checked

                LEAK  64 B in 1 DRAM buffer, FREED_ON_OTHER_DEVICES; allocated in HistoryTests.java:3

                1. DRAM  64 B on device 2
                   at dev.example.HistoryTests.story(HistoryTests.java:3)
                   why   FREED_ON_OTHER_DEVICES: 3 of 4 single-device buffers were freed by event #9, device 2's never was
                   fix   Free the buffer on every device it was allocated on.
                   seen  allocated in TEST (event #5)
                         the allocator reported 0x1000 (4096) as allocated when close began (event #11)
                         3 of 4 buffers from this line were freed, in TEST; this one was first passed over at event #7

                sum     4 allocated = 3 freed + 1 leaked
                expect  @ExpectBuffers(type = DRAM, device = 2, size = 64, atMost = 1, origin = "HistoryTests.story", because = "…")
            persistent memory of the runtime is not a leak
                mesh 0 without 0..3; phase TEST; allocate L1 0x1000 on 0..3, owning, of fabric router, lifetime PERSISTENT;
                close without devices; checked

                CLEAN  only expected memory remains: 256 B in 4 buffers
                Expected and present: 4 buffers of lifetime PERSISTENT
                sum     4 allocated = 0 freed + 4 expected
            an allocator held for a while what nobody reported
                mesh 0 without 0..3; phase TEST; allocate DRAM 0x1000 on 0..3, owning; free DRAM 0x1000 on 0..3, owning; closing;
                witness CLOSE_BEGUN DRAM on 2: 0x2000; witness BEFORE_WIPE DRAM on 2; close without devices; checked

                MISREPORTED  no memory leaked; 1 buffer never reported

                1. memory that no report mentions: DRAM 0x2000 (8192) on device 2 (event #12)
                   why   the allocator held it when close began, and no more before it was wiped

                sum     4 allocated = 4 freed
            a leak, wrong reported counts, missing reports, an unmatched entry, and two meshes over one device
                mesh 0 without 0..3; mesh 1 in 0 over 0..1; phase TEST; allocate DRAM 0x1000 on 0..3, owning, mesh 0, label kv-cache;
                handle held by KvCacheTest.cache -> ArrayList[0];
                allocate DRAM 0x2000 on 0..3, owning, mesh 0; allocate DRAM 0x4000 on 0..3, owning, mesh 0, label rotary table;
                allocate DRAM 0x1000 on 0, owning, mesh 1; lost 3 the socket's buffer was full; free DRAM 0x40 on 3, owning; closing;
                witness CLOSE_BEGUN DRAM on 0: 0x1000, mesh 1; witness CLOSE_BEGUN DRAM on 0..3: 0x1000 0x4000, mesh 0;
                close without devices; checked; handle lost
                expecting DRAM label "rotary table" count exactly 8 because "shared by all tests"

                LEAK  320 B in 5 DRAM buffers, 2 findings; largest 256 B HELD by KvCacheTest.cache (HistoryTests.java:4)
                1. DRAM  256 B: 4 x 64 B, one on each of devices 0-3, allocated by mesh 0 (mesh 0), label "kv-cache"
                   at dev.example.HistoryTests.story(HistoryTests.java:4)
                   why   HELD: still referenced by KvCacheTest.cache -> ArrayList[0] (event #8)
                   fix   Free the buffer before close_mesh_device, or drop the reference if the handle frees on collection.
                   seen  allocated in TEST (events #4 to #7)
                         the allocator of mesh 0 reported 0x1000 (4096) as allocated when close began (event #23)
                2. DRAM  64 B on device 0, allocated by mesh 1 (1x2 submesh of mesh 0)
                   at dev.example.HistoryTests.story(HistoryTests.java:8)
                   why   LOST: no handle to it is reachable any more, and no free of it was reported (event #27)
                   fix   Free the buffer before close_mesh_device on every path: with try-with-resources, or in a finally block.
                   seen  allocated in TEST (event #17)
                         the allocator of mesh 1 reported 0x1000 (4096) as allocated when close began (event #22)

                INCONCLUSIVE  it cannot be known whether all memory was freed
                   why   3 reports are missing (event #18: the socket's buffer was full).

                MISREPORTED  4 DRAM buffers (256 B) lack a free report: FREE_UNREPORTED; 1 free of nothing
                3. DRAM  4 x 64 B, one on each of devices 0-3, allocated by mesh 0 (mesh 0)
                   at dev.example.HistoryTests.story(HistoryTests.java:6)
                   why   FREE_UNREPORTED: the allocator of mesh 0 reported 0x2000 (8192) as free when close began (event #23)
                   fix   Report the free in every path that releases the buffer (views, early returns, closed devices); the memory
                         itself was freed.
                   seen  allocated in TEST (events #9 to #12)
                4. free of an unknown address: DRAM 0x40 (64) on device 3 (event #19)
                   at dev.example.HistoryTests.story(HistoryTests.java:10)
                   why   no buffer was ever reported there

                STALE  1 expectation promises more than survived
                5. 4 buffers survived, 256 B: DRAM, label "rotary table", exactly 8 buffers, because "shared by all tests" at
                   meshguard-expected.txt:1

                OVERLAP  two meshes held the same memory at a time, so each may have overwritten the other's data: 1 buffer
                … and 2 more lines
                6. DRAM  64 B on device 0, allocated by mesh 1 (1x2 submesh of mesh 0) at 0x1000 (4096), event #17

                Expected and present: 4 buffers, 256 B (DRAM, label "rotary table", exactly 8 buffers, because "shared by all tests" at meshguard-expected.txt:1)
                sum     13 allocated = 0 freed + 5 leaked + 4 misreported + 4 expected
                expect  one of them: @ExpectBuffers(type = DRAM, size = 64, atMost = 4, label = "kv-cache", origin = "HistoryTests.story", because = "…")
            """);
    }

    /** Every type and lifetime of memory, every cause, every section, entries that match and entries that do not. */
    @Test
    void whateverThereIsToSayFitsOnAScreen() {
        String ofTypes = Stream.of(BufferType.values())
                .flatMap(type -> Stream.of(BufferLifetime.values())
                        .map(lifetime -> """
                        allocate %1$s %3$d on 0..3, mesh 0, lifetime %2$s, label %1$s %2$s;
                        allocate %1$s %3$d on 0..1, mesh 1, lifetime %2$s, label %1$s %2$s;
                        """.formatted(type, lifetime, 0x1000 * (1 + lifetime.ordinal()))))
                .collect(Collectors.joining());
        String gaps =
                IntStream.range(0, 9).mapToObj(number -> """
                        lost 3 reason %1$d; free DRAM 6%1$d on 3; allocate DRAM 0x2%1$d000 on 0, mesh 0, label kept %1$d;
                        """.formatted(number)).collect(Collectors.joining());
        String kept = IntStream.range(0, 9)
                .mapToObj(number -> "label \"kept " + number + "\" because \"the driver keeps it\"\n")
                .collect(Collectors.joining());

        VerdictReport report = ReportStory.report("""
                mesh 0 without 0..3; mesh 1 in 0 over 0..1; phase TEST; cached program 7 (add); %s
                allocate DRAM 0x8000 on 0..3, mesh 0, of program 7 (add);
                allocate L1 0x18b20 on 0, circular buffer of program 8 (matmul); end program 8 (matmul);
                allocate DRAM 0x9000 on 0..3, mesh 0, process 4711; died 4711;
                allocate DRAM 0xa000 on 0..3, each, mesh 0; free DRAM 0xa000 on 0+1+3, mesh 0;
                allocate DRAM 0xb000 on 0, owning, mesh 0, again NON_OWNING; free DRAM 0xb000 on 0, owning, mesh 0;
                allocate DRAM 0xc000 on 0..3, mesh 0; handle held; allocate DRAM 0xd000 on 0..3, mesh 0; handle lost;
                allocate DRAM 0xe000..0xf000 on 0..3, mesh 0; allocate DRAM 0x11000 on 0..3, mesh 0, of trace 3; end trace 3;
                %s closing; witness CLOSE_BEGUN DRAM on 0..1: 0x1000 0x2000 0x3000, mesh 1;
                witness CLOSE_BEGUN DRAM on 0..3: 0x1000 0x2000 0x3000 0x8000 0x9000 0xa000 0xc000 0xd000 0xf000 0x11000;
                close without devices; checked; free DRAM 0xf000 on 0..3, mesh 0
                """.formatted(ofTypes, gaps).replace("\n", " "), kept, """
                DRAM label "DRAM USER" count exactly 80 because "shared by all tests"
                L1 label "L1 USER" until 2026-01-01 because "until the driver is mended"
                TRACE label nothing because "telemetry"
                """);

        assertThat(report.verdict().groups().stream().map(SurvivorGroup::cause)).contains(Cause.values());
        assertThat(report.sections()).hasSize(6);
        for (int number = 0; number < 30; number++) {
            report = report.noting("note " + number);
        }
        assertThat(report.reproducedBy("mvn test").text().lines())
                .hasSizeLessThanOrEqualTo(40)
                .endsWith("rerun   mvn test")
                .contains("… and 30 more notes", "… and 13 more expectations");
    }
}
