package dev.meshguard.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.tracker.script.HistoryScript;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class VerdictReportTests {

    @TestFactory
    Stream<DynamicTest> theText() {
        return ReportStory.each("""
            says that everything was freed
                allocate DRAM 0x1000 on 0; free DRAM 0x1000 on 0

                CLEAN  all memory was freed
                sum     1 allocated = 1 freed
            names both sides of a free of nothing
                without origins; allocate L1 0x18b20 on 3, size 4096; free L1 0x18b20 on 3; free L1 0x18b20 on 3; free DRAM 0x40 on 3

                MISREPORTED  no memory leaked; 2 frees of nothing

                1. double free: L1 0x18b20 (101152) on device 3 (event #3)
                   why   the buffer that was there, 4 KiB (4096 B), was freed before, at event #2
                2. free of an unknown address: DRAM 0x40 (64) on device 3 (event #4)
                   why   no buffer was ever reported there

                sum     1 allocated = 1 freed
            says why a free of a view is not of the buffer at its address
                without origins; allocate L1 0x1000 on 3, owning, of program add; free L1 0x1000 on 3, owning, of program add, pointer;
                free L1 0x1000 on 3, owning, of program add

                MISREPORTED  no memory leaked; 1 free of nothing

                1. free that fits no buffer there: L1 0x1000 (4096) on device 3 (event #2)
                   why   the buffer there, 64 B, was reported at event #1 and is another one: the free is of a view

                sum     1 allocated = 1 freed
            says why a free of a circular buffer is not of the buffer at its address
                without origins; allocate L1 0x1000 on 3, owning, of program add; free L1 0x1000 on 3, owning, circular buffer of program add;
                free L1 0x1000 on 3, owning, of program add

                …
                   why   the buffer there, 64 B, was reported at event #1 and is another one: the free is of a circular buffer
                …
            compares a free with the report that was open then
                without origins; allocate L1 0x1000 on 3, owning, of program add; allocate L1 0x1000 on 3, owning, of program matmul;
                free L1 0x1000 on 3, owning, of program add; free L1 0x1000 on 3, owning, of program add

                …
                2. free that fits no buffer there: L1 0x1000 (4096) on device 3 (event #4)
                   why   the buffer there, 64 B, was reported at event #2 and is another one: the free names program add, not program
                …
            says that a buffer went with its handle
                without origins; allocate L1 0x18b20 on 3, size 4096; free L1 0x18b20 on 3, collected; free L1 0x18b20 on 3

                MISREPORTED  no memory leaked; 1 free of nothing

                1. double free: L1 0x18b20 (101152) on device 3 (event #3)
                   why   the buffer that was there, 4 KiB (4096 B), was freed before, at event #2, when its handle was collected

                note    1 buffer was freed when its handle was collected; the first at event #2: L1 0x18b20 (101152) on device 3
                sum     1 allocated = 1 freed
            counts the buffers that went with their handles
                without origins; allocate L1 0x18b20 on 0..1; free L1 0x18b20 on 0..1, collected

                …
                note    2 buffers were freed when their handles were collected; the first at event #3: L1 0x18b20 (101152) on device 0
                …
            mentions what the runtime ignored without blaming it
                without origins; allocate DRAM 0x1000 on 0; free DRAM 0x1000 on 0; ignore DRAM 0x1000 on 0, ALREADY_FREED

                CLEAN  all memory was freed
                note    second free, ignored by the runtime, once; the first at event #3: DRAM 0x1000 (4096) on device 0
                sum     1 allocated = 1 freed
            names paths that differ in an index as one
                allocate DRAM 0x1000 on 0; handle held by ModelTest.model -> Model.weights -> ArrayList[0];
                allocate DRAM 0x2000 on 0, same line; handle held by ModelTest.model -> Model.weights -> ArrayList[7]

                LEAK  128 B in 2 DRAM buffers, HELD by Model.weights; allocated in HistoryTests.java:1
                …
                   why   HELD: still referenced by ModelTest.model -> Model.weights -> ArrayList[0..7] (events #2 to #4)
                …
            leaves numbers that no index has as they are
                allocate DRAM 0x1000 on 0; handle held by Model.cache -> HashMap[#99999999999999999999999];
                allocate DRAM 0x2000 on 0, same line; handle held by Model.cache -> HashMap[#99999999999999999999999]

                …
                   why   HELD: still referenced by Model.cache -> HashMap[#99999999999999999999999] (events #2 to #4)
                …
            lists circular buffers of a program that was never closed after what allocators hold
                without origins; allocate L1 101152 on 0, size 65536, owning, circular buffer of program 1 (ring_mla);
                allocate DRAM 0x1000 on 0, size 2048, owning, label weights

                LEAK  66 KiB in 2 buffers, 2 findings; largest 2 KiB "weights" UNEXPLAINED
                …
                2. L1  64 KiB (65536 B) on device 0 at 0x18b20 (101152), owned by program 1 (ring_mla)
                …
                   fix   Close the workload, or a program that is in none, before close_mesh_device: program 1 (ring_mla) keeps its
                         memory until then.
                …
            says why it cannot know
                without origins; mesh 1 over 0..1; lost 3 the socket's buffer was full;
                allocate DRAM 0x1000 on 0..1, size 2097152, label kv-cache

                INCONCLUSIVE  4 MiB in 2 DRAM buffers may have leaked: mesh 1 (mesh 1) is still open, and 1 more reason

                   why   Mesh 1 (mesh 1) is still open, so its buffers may still be freed. Close it before the check.
                         3 reports are missing (event #4: the socket's buffer was full).
                1. DRAM  2 x 2 MiB (2097152 B), one on each of devices 0-1 at 0x1000 (4096), label "kv-cache"
                   at an unknown place (no origin was captured)
                   why   undecided: mesh 1 is still open, so it may still be freed
                   seen  allocated in START (events #5 to #6)

                sum     2 allocated = 0 freed + 2 undecided
            """);
    }

    /** A move frees its input by address twice: the second free meets the output, which its owner then frees in vain. */
    @Test
    void namesTheLinesOfTheBufferWhoseMemoryWasFreedUnderIt() {
        LeakVerdict verdict = LeakCheck.create().examine(HistoryScript.historyOf("""
                without origins; allocate L1 0x18b20 on 3; free L1 0x18b20 on 3; allocate L1 0x18b20 on 3;
                free L1 0x18b20 on 3; free L1 0x18b20 on 3
                """));
        LogLines lines = new LogLines("server.log", event -> OptionalLong.of(10 * event));

        assertThat(VerdictReport.ofLog(verdict, Optional.empty(), lines).text()).isEqualTo("""
                MISREPORTED  no memory leaked; 1 free of nothing

                1. double free: L1 0x18b20 (101152) on device 3 (event #5)
                   where server.log:50
                   why   the buffer that was there, 64 B, was freed before, at event #4
                   freed before at server.log:40
                   seen  allocated at server.log:30

                sum     2 allocated = 2 freed""");
    }

    @Test
    void endsWithNotesAndTheLineThatRunsTheTestAgain() {
        VerdictReport report = ReportStory.report("allocate DRAM 0x1000 on 0; free DRAM 0x1000 on 0");

        assertThat(report.noting("the mesh was closed by the extension")
                        .reproducedBy("mvn test -Dtest=KvCacheTest#decode")
                        .text())
                .isEqualTo("""
                CLEAN  all memory was freed
                note    the mesh was closed by the extension
                sum     1 allocated = 1 freed
                rerun   mvn test -Dtest=KvCacheTest#decode""");
    }

    @Test
    void fitsTenThousandLeaksOnAScreen() {
        String history = IntStream.range(0, 10_000)
                .mapToObj(number -> "allocate DRAM " + number * 64 + " on 0, label buffer " + number)
                .collect(Collectors.joining("; "));

        List<String> lines = ReportStory.report(history).text().lines().toList();

        assertThat(lines).hasSizeLessThanOrEqualTo(40).contains("… and 9992 more (9992 buffers, 624.5 KiB)");
    }

    @Test
    void aLabelKeepsToItsLineAndItsEntryCompiles() {
        VerdictReport report = ReportStory.report("allocate DRAM 0x1000 on 0, label kv \"cache\"\n\\ \u202e\u0000é");

        String label = "\"kv \\\"cache\\\"\\n\\\\ \\u202e\\u0000é\"";
        assertThat(report.text()).contains(", label " + label + "\n").contains(", label = " + label + ", ");
    }
}
