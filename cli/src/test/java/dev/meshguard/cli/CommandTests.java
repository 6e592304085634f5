package dev.meshguard.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.BufferType;
import dev.meshguard.report.json.HistoryJson;
import dev.meshguard.tracker.AllocationTracker;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A command answers about a file with its exit status, and prints the texts of the row; {@code !} is before a text that it does not print. */
class CommandTests {

    static final String ALLOCATED = "✓ [PID 7] Allocated 4096 bytes of L1 on device 0 (buffer_id=901152)\n";
    static final String LEAK = ALLOCATED + "🛑 Allocation Server stopped\n";
    static final String FREED = "✗ [PID 7] Freed buffer 901152 on device 0 (4096 bytes, FINAL)\n";

    @TempDir
    static Path folder;

    @BeforeAll
    static void writeLogs() throws IOException {
        write("clean.log", ALLOCATED + FREED);
        write("leak.log", LEAK);
        write("running.log", ALLOCATED);
        write("cut.log", ALLOCATED + FREED + "✓ [PID 7] Alloc");
        write("block.log", "Allocation Server started\nBUFFER ALLOCATED\nDevice: 0\n");
        write(
                "unknown.log",
                ALLOCATED
                        + FREED
                        + "⚠ [PID 7] Deallocation for unknown buffer 901152 on device 0 (allocated before tracking started)\n");
        String rounds = "";
        for (int round = 1; round <= 3; round++) {
            rounds += "=== Run " + round + "\n" + ALLOCATED.replace("901152", String.valueOf(4096 * round));
        }
        write("rounds.log", rounds);
        write("more.log", ALLOCATED + FREED + LEAK.replace("4096 bytes of L1", "8192 bytes of DRAM"));
        write("expected.txt", "L1 because \"all of them\"\n");
        write("objects.log", "{\"a\": 1}\n{\"b\": 2}\n" + LEAK);
        write("infos.log", "{\"level\":\"info\",\"kind\":\"x\"}\n" + LEAK);
        write("open.log", "{\"log\": \"" + LEAK);
        write("list.log", "[1]\n" + LEAK);
        for (String encoding : List.of("UTF-16", "UTF-16LE", "UTF-16BE")) {
            Files.write(folder.resolve(encoding + ".log"), ("[PID 7] text\n" + ALLOCATED).getBytes(encoding));
        }
    }

    @BeforeAll
    static void writeHistories() throws IOException {
        AllocationTracker tracker = AllocationTracker.create();
        tracker.allocated(0, BufferType.DRAM, 0x1000, 64);
        HistoryJson.write(tracker.history(), folder.resolve("leak.jsonl"));
        try (OutputStream gzip = new GZIPOutputStream(Files.newOutputStream(folder.resolve("leak.jsonl.gz")))) {
            Files.copy(folder.resolve("leak.jsonl"), gzip);
        }
        tracker.freed(0, BufferType.DRAM, 0x1000);
        HistoryJson.write(tracker.history(), folder.resolve("clean.jsonl"));
        List<String> lines = Files.readAllLines(folder.resolve("clean.jsonl"));
        int freed = 5;
        assertThat(lines.get(freed)).contains("\"freed\"");
        writeWith("damaged.jsonl", lines, freed, lines.get(freed).substring(0, 20));
        writeWith("headless.jsonl", lines, 0, "");
        writeWith("halfheader.jsonl", lines, 0, "{\"kind\":\"header\",\"for");
        writeWith("badheader.jsonl", lines, 0, "{\"kind\":\"header\",\"format\":\"meshgu?rd-history\"}");
        write("version9.jsonl", "{\"kind\":\"header\",\"format\":\"meshguard-history\",\"version\":9}\n");
    }

    @BeforeAll
    static void writeOutputsOfTheRuntime() throws IOException, SQLException {
        write("whole.json", "[{\"node_type\":\"capture_start\"},{\"node_type\":\"capture_end\"}]");
        write("cut.json", "[{\"node_type\":\"capture_start\"}");
        write("graph.json", AnalyzeCaptureTests.CAPTURE);
        write("rounds.json", AnalyzeCaptureTests.rounds());
        String detailed = AnalyzeEvidenceTests.DETAILED;
        String l1 = detailed.substring(detailed.indexOf(",L1"));
        write("detailed.csv", detailed);
        write("dram.csv", detailed.substring(0, detailed.indexOf(",L1")));
        write("cut.csv", l1.replace(",L1", ",DRAM") + l1.substring(0, l1.indexOf(",Total free")));
        String header =
                ", Total Allocatable Size (KB), Total Allocated (KB), Total Free (KB), Largest Free Block (KB)\n";
        write("header.csv", header);
        write("nothing.csv", header + ",1024,0,1024,1024\n,1362,0,1362,1362\n");
        write("blocks.csv", AnalyzeEvidenceTests.withL1(64, "yes", 64, "yes", 128, "no", 128, "yes", 128, "no"));
        write(
                "later.csv",
                AnalyzeEvidenceTests.withL1(
                        64, "no", 64, "yes", 64, "yes", 64, "yes", 128, "yes", 64, "no", 64, "yes"));
        write("first.csv", AnalyzeEvidenceTests.withL1(64, "yes", 64, "no", 64, "no", 64, "yes"));
        write("moved.csv", AnalyzeEvidenceTests.withL1(64, "no", 64, "yes", 64, "no", 64, "yes"));
        write("damaged.csv", AnalyzeEvidenceTests.withL1(64, "no", 64, "no") + "Fragmentation index: 3\n");
        Files.write(folder.resolve("freed.shm"), AnalyzeEvidenceTests.sharedMemory(0));
        Files.write(folder.resolve("device.shm"), AnalyzeEvidenceTests.sharedMemory(8_192));
        DatabaseTests.write(folder.resolve("db.sqlite"), 2);
    }

    private static void write(String name, String text) throws IOException {
        Files.writeString(folder.resolve(name), text, StandardCharsets.UTF_8);
    }

    private static void writeWith(String name, List<String> lines, int index, String line) throws IOException {
        List<String> changed = new ArrayList<>(lines);
        changed.set(index, line);
        Files.write(folder.resolve(name), changed);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            analyze clean.log                           | 0  | CLEAN  all memory was freed && ! meshguard page
            analyze leak.log                            | 1  | LEAK  4 KiB in 1 L1 buffer && page    meshguard page leak.log
            analyze running.log                         | 2  | INCONCLUSIVE  4 KiB in 1 L1 buffer
            analyze cut.log                             | 2  | INCONCLUSIVE
            analyze block.log                           | 2  | INCONCLUSIVE
            analyze unknown.log                         | 3  | MISREPORTED
            analyze clean.log cut.log                   | 2  | cut.log: 3 lines
            analyze leak.log cut.log clean.log          | 1  | clean.log: 2 lines
            analyze nowhere.log leak.log                | 64 | leak.log: 2 lines && LEAK  4 KiB && meshguard: nowhere.log does not exist.
            analyze --json a.log b.log                  | 64 | "logs" : [ ], && "unreadable" : [ && "a.log does not exist. && "b.log does not exist.
            analyze --expected expected.txt leak.log    | 0  | CLEAN  only expected memory remains: 4 KiB in 1 buffer
            analyze --rounds Run --expected expected.txt rounds.log | 1 | growing by 4 KiB (4096 B) per round, in rounds 2-3
            analyze --rounds Run --json rounds.log      | 1  | "rounds" : { && "count" : 3, && "trend" : "GROWING",
            analyze objects.log                         | 1  | LEAK  4 KiB in 1 L1 buffer
            analyze infos.log                           | 1  | LEAK  4 KiB in 1 L1 buffer
            analyze open.log                            | 1  | LEAK  4 KiB in 1 L1 buffer
            analyze list.log                            | 1  | LEAK  4 KiB in 1 L1 buffer
            analyze UTF-16.log                          | 64 | meshguard: UTF-16.log cannot be read: It is UTF-16 && iconv -f UTF-16 -t UTF-8
            analyze UTF-16LE.log                        | 64 | meshguard: UTF-16LE.log cannot be read: It is UTF-16 && iconv -f UTF-16 -t UTF-8
            page UTF-16BE.log                           | 64 | meshguard: UTF-16BE.log cannot be read: It is UTF-16 && iconv -f UTF-16 -t UTF-8
            analyze leak.jsonl leak.log                 | 1  | leak.jsonl: 1 event (history) && leak.log: 2 lines
            analyze leak.jsonl.gz                       | 1  | leak.jsonl.gz: 1 event (history)
            analyze --json leak.jsonl                   | 1  | "logs" : [ ], && "histories" : [ && "status" : "LEAKED", && "events" : 1, && "outcome" : "LEAKED"
            analyze damaged.jsonl                       | 2  | INCONCLUSIVE && line 6
            analyze headless.jsonl                      | 2  | INCONCLUSIVE
            analyze halfheader.jsonl                    | 2  | INCONCLUSIVE
            analyze badheader.jsonl                     | 2  | INCONCLUSIVE
            analyze version9.jsonl                      | 64 | meshguard: version9.jsonl cannot be read:
            analyze graph.json whole.json               | 2  | graph.json: 12 nodes && whole.json: 2 nodes
            analyze --rounds ^forward$ rounds.json      | 1  | 4 rounds, the first for warming up && growing by
            analyze --at-end detailed.csv               | 1  | LEAK  24 KiB (24576 B) was allocated at that moment
            analyze cut.csv                             | 2  | INCONCLUSIVE  the file does not say how much is allocated && note    The figures of L1 are not used: "Total free" is missing.
            analyze header.csv                          | 2  | INCONCLUSIVE  the file names no memory: give a whole one that dump_device_memory_state wrote
            analyze nothing.csv                         | 0  | CLEAN  nothing was allocated && note    This version rounds down to KiB.
            analyze freed.shm                           | 2  | INCONCLUSIVE  0 B is allocated, and 1 slot has no running process
            analyze --json graph.json                   | 2  | "remaining":[{"node":4,"device":1,"type":"L1","address":1488896,"size":65536,"operation":"ttnn::relu","tensors":[{"node":10,"id":8,"shape":"Shape([1, 1, 32, 1024])","users":[]}]}]
            analyze --json detailed.csv                 | 2  | "memoryReports":[{"memoryReport":"detailed.csv","status":"INCONCLUSIVE","memory":{ && "memories":[{"type":"DRAM","banks":12,"bank":{"allocatable":8192,"allocated":2048,"free":6144,"rounding":0},"all":{"allocatable":98304,"allocated":24576, && "largestFree":4096,"blocks":[{"address":0,"size":1024,"isAllocated":true},
            analyze --json device.shm                   | 2  | "device":0,"updated":"2099-09-01T12:00:00Z","total":{"dram":0,"l1":8192, && "processId":1073741824,"command":"pytest" && "status":"MISSING"
            analyze db.sqlite                           | 2  | (report database, rank 0) && (report database, rank 1)
            analyze --rank 1 db.sqlite                  | 2  | db.sqlite: 3 operations, 4 buffers in their snapshots (report database, rank 1) && ! rank 0
            analyze --rank 2 db.sqlite                  | 64 | it has no rank 2. Leave the rank out to read all that it has
            analyze --json db.sqlite                    | 2  | "rank":1,"operations":3,"reports":4,"remaining":[{"device":0,"type":"L1","address":1488896,"size":2048,"operation":"ttnn.matmul(operation2)","origin":["decoder.forward(models/decoder.py:57)"],"tensors":[{"id":41,"shape":"Shape([1,1,32,1024])","users":["ttnn.relu(operation3)"]}]}]
            page db.sqlite                              | 64 | db.sqlite has 2 recordings, and only meshguard analyze reads several. Give a file with one, or --rank N
            diff --rank 0 db.sqlite db.sqlite           | 0  | SAME USAGE
            diff --rank 0 db.sqlite leak.jsonl          | 1  | CHANGED
            diff blocks.csv later.csv                   | 1  | L1 allocated: 256 B -> 384 B, +128 B && L1 largest free block: 128 B -> 64 B, -64 B && L1 new: 3 blocks of 64 B in each bank, at 0x80 (128) to 0xc0 (192), 0x1c0 (448) && L1 gone: 1 block of 64 B in each bank, at 0x0 (0)
            diff first.csv moved.csv                    | 5  | CHANGED  between the two moments && L1 new: 1 block of 64 B in each bank, at 0x40 (64) && L1 gone: 1 block of 64 B in each bank, at 0x0 (0) && ! allocated:
            diff first.csv damaged.csv                  | 2  | INCONCLUSIVE  no more memory in what can be compared && L1 gone: 2 blocks of 64 B in each bank && note    damaged.csv:
            client rust                                 | 64 | C, PYTHON && 'rust'
            diff clean.log clean.log                    | 0  | SAME USAGE  both runs used memory alike
            diff clean.log more.log                     | 1  | CHANGED  1 site of allocation changed, what leaves more first && live nothing -> 1 buffer of 8 KiB (8192 B)
            diff more.log clean.log                     | 5  | CHANGED
            diff whole.json cut.json                    | 2  | INCONCLUSIVE  no difference in what can be compared && note    cut.json is not whole: the capture cannot be read after node 0: the JSON breaks off or is damaged
            record -- meshguard-no-such-program         | 64 | meshguard: Cannot run program "meshguard-no-such-program"
            diff detailed.csv dram.csv                  | 2  | INCONCLUSIVE  no difference in what can be compared && note    L1 is only in detailed.csv.
            """)
    void hasTheStatusAndTheText(String command, int status, String texts) {
        Answer answer = Answer.in(folder, command);

        boolean isJson = command.contains("--json");
        String all = isJson ? answer.out().replaceAll("\\s", "") : answer.out() + answer.err();
        for (String text : (isJson ? texts.replaceAll("\\s", "") : texts).split(" ?&& ?", -1)) {
            if (text.startsWith("!")) {
                assertThat(all).doesNotContain(text.substring(1).strip());
            } else {
                assertThat(all).contains(text);
            }
        }
        assertThat(answer.status()).isEqualTo(status);
        assertThat(answer.err().lines()).allMatch(line -> status == 64 && line.startsWith("meshguard: "));
    }

    @ParameterizedTest
    @CsvSource({"c, c/meshguard.h", "python, python/meshguard.py", "PYTHON, python/meshguard.py"})
    void aClientIsPrintedAsItIs(String language, Path file) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();

        MeshGuard.run(InputStream.nullInputStream(), out, OutputStream.nullOutputStream(), "client", language);

        assertThat(out.toByteArray())
                .isEqualTo(Files.readAllBytes(Path.of("..", "clients").resolve(file)));
    }
}
