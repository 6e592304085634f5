package dev.meshguard.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.BufferType;
import dev.meshguard.report.json.HistoryJson;
import dev.meshguard.tracker.AllocationTracker;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A command answers about a file with its exit status, and prints the texts of the row; {@code !} is before a text that it does not print. */
class CommandTests {

    static final String ALLOCATED = "✓ [PID 7] Allocated 4096 bytes of L1 on device 0 (buffer_id=901152)\n";
    static final String LEAK = ALLOCATED + "🛑 Allocation Server stopped\n";
    static final String FREED = "✗ [PID 7] Freed buffer 901152 on device 0 (4096 bytes, FINAL)\n";

    static final Path RESOURCES = Path.of("src/test/resources/dev/meshguard/cli");

    @TempDir
    static Path folder;

    @BeforeAll
    static void writeLogs() throws IOException {
        write("clean.log", ALLOCATED + FREED);
        write("leak.log", LEAK);
        Files.createSymbolicLink(folder.resolve("link.log"), folder.resolve("leak.log"));
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
        write("results.json", "{\"0\": {\"loc\": \"a.mlir\", \"dram\": {\"total_bytes_per_bank\": 64}}}");
        write("verdict.json", "{\n \"format\": \"meshguard-verdict\"\n}");
        write("long.json", "[{\"x\": [" + "1,".repeat(9_000) + "1]}]");
        write("deep.json", "[".repeat(5_000));
        write("run.log", "a line\n");
        Files.createDirectory(folder.resolve("empty.d"));
        write("expected.txt", "L1 because \"all of them\"\n");
        write("objects.log", "{\"a\": 1}\n{\"b\": 2}\n" + LEAK);
        write("infos.log", "{\"level\":\"info\",\"kind\":\"x\"}\n" + LEAK);
        write("open.log", "{\"log\": \"" + LEAK);
        write("list.log", "[1]\n" + LEAK);
        String prefix = "web-1  | 12:00:01 ";
        write("prefix.log", prefix + ALLOCATED + prefix + "loads weights\n" + prefix + FREED);
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
    static void copyOutputsOfTheRuntime() throws IOException {
        try (Stream<Path> files = Files.list(RESOURCES)) {
            for (Path file : files.toList()) {
                Files.copy(file, folder.resolve(file.getFileName()));
            }
        }
        Files.copy(RESOURCES.resolve("graph.json"), folder.resolve("calls.json"));
        Files.copy(RESOURCES.resolve("clash.python_io.json"), folder.resolve("calls.python_io.json"));
        Files.copy(RESOURCES.resolve("detailed_memory_usage.csv"), folder.resolve("after_load.csv"));
        write("whole.json", "[{\"node_type\":\"capture_start\"},{\"node_type\":\"capture_end\"}]");
        write("two.json", "[{\"node_type\":\"capture_start\"}]".repeat(2));
        write("cut.json", "[{\"node_type\":\"capture_start\"}");
    }

    @BeforeAll
    static void writeDatabases() throws IOException, SQLException {
        ScriptedDatabase.write(folder.resolve("db.sqlite"), "db.sql");
        ScriptedDatabase.write(folder.resolve("ranks.sqlite"), "db.sql", "second_rank.sql");
    }

    @BeforeAll
    static void writeSharedMemory() throws IOException {
        Files.write(folder.resolve("freed.shm"), sharedMemory(0));
        Files.write(folder.resolve("device.shm"), sharedMemory(8_192));
    }

    /** Returns the memory of a device with this process and one whose number no process can have. */
    private static byte[] sharedMemory(long l1) {
        long updated = Instant.parse("2099-09-01T12:00:00Z").getEpochSecond() * 1_000_000_000L;
        ByteBuffer memory = ByteBuffer.allocate(8_576).order(ByteOrder.LITTLE_ENDIAN);
        memory.putInt(0, 4).putLong(8, updated).putLong(56, l1).putInt(8_536, 0x5245_4459);
        slot(memory, 0, (int) ProcessHandle.current().pid(), "python3", l1 / 2, updated);
        slot(memory, 1, 1 << 30, "pytest", l1 / 2, updated);
        return memory.array();
    }

    private static void slot(ByteBuffer memory, int slot, int processId, String command, long l1, long updated) {
        int from = 856 + 120 * slot;
        memory.putInt(from, processId).putLong(from + 16, l1).putLong(from + 48, updated);
        memory.put(from + 56, command.getBytes(StandardCharsets.US_ASCII));
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
            analyze --json prefix.log                   | 0  | "text" : "loads weights"
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
            analyze --at-end after_load.csv               | 1  | LEAK  24 KiB (24576 B) was allocated at that moment
            analyze cut.csv                             | 2  | INCONCLUSIVE  the file does not say how much is allocated && note    The figures of L1 are not used: "Total free" is missing.
            analyze header.csv                          | 2  | INCONCLUSIVE  the file names no memory: give a whole one that dump_device_memory_state wrote
            analyze nothing.csv                         | 0  | CLEAN  nothing was allocated && note    This version rounds down to KiB.
            analyze freed.shm                           | 2  | INCONCLUSIVE  0 B is allocated, and 1 slot has no running process
            analyze --json graph.json                   | 2  | "remaining":[{"node":4,"device":1,"type":"L1","address":1488896,"size":65536,"operation":"ttnn::relu","tensors":[{"node":10,"id":8,"shape":"Shape([1, 1, 32, 1024])","users":[]}]}]
            analyze --json after_load.csv                 | 2  | "memoryReports":[{"memoryReport":"after_load.csv","status":"INCONCLUSIVE","memory":{ && "memories":[{"type":"DRAM","banks":12,"bank":{"allocatable":8192,"allocated":2048,"free":6144,"rounding":0},"all":{"allocatable":98304,"allocated":24576, && "largestFree":4096,"blocks":[{"address":0,"size":1024,"isAllocated":true},
            analyze --json device.shm                   | 2  | "device":0,"updated":"2099-09-01T12:00:00Z","total":{"dram":0,"l1":8192, && "processId":1073741824,"command":"pytest" && "status":"MISSING"
            analyze ranks.sqlite                           | 2  | (report database, rank 0) && (report database, rank 1)
            analyze --rank 1 ranks.sqlite                  | 2  | ranks.sqlite: 3 operations, 4 buffers in their snapshots (report database, rank 1) && ! rank 0
            analyze --rank 2 ranks.sqlite                  | 64 | it has no rank 2. Leave the rank out to read all that it has
            analyze --json ranks.sqlite                    | 2  | "rank":1,"operations":3,"reports":4,"remaining":[{"device":0,"type":"L1","address":1488896,"size":2048,"operation":"ttnn.matmul(operation2)","origin":["decoder.forward(models/decoder.py:57)"],"tensors":[{"id":41,"shape":"Shape([1,1,32,1024])","users":["ttnn.relu(operation3)"]}]}]
            page ranks.sqlite                              | 64 | ranks.sqlite has 2 recordings, and only meshguard analyze reads several. Give a file with one, or --rank N
            diff --rank 0 ranks.sqlite ranks.sqlite           | 0  | SAME USAGE
            diff --rank 0 ranks.sqlite leak.jsonl          | 1  | CHANGED
            diff blocks.csv later.csv                   | 1  | L1 allocated: 256 B -> 384 B, +128 B && L1 largest free block: 128 B -> 64 B, -64 B && L1 new: 3 blocks of 64 B in each bank, at 0x80 (128) to 0xc0 (192), 0x1c0 (448) && L1 gone: 1 block of 64 B in each bank, at 0x0 (0)
            diff first.csv moved.csv                    | 5  | CHANGED  between the two moments && L1 new: 1 block of 64 B in each bank, at 0x40 (64) && L1 gone: 1 block of 64 B in each bank, at 0x0 (0) && ! allocated:
            diff first.csv damaged.csv                  | 2  | INCONCLUSIVE  no more memory in what can be compared && L1 gone: 2 blocks of 64 B in each bank && note    damaged.csv:
            client rust                                 | 64 | C, PYTHON && 'rust'
            diff clean.log clean.log                    | 0  | SAME USAGE  both runs used memory alike
            diff clean.log more.log                     | 1  | CHANGED  1 site of allocation changed, what leaves more first && live nothing -> 1 buffer of 8 KiB (8192 B)
            diff more.log clean.log                     | 5  | CHANGED
            diff whole.json cut.json                    | 2  | INCONCLUSIVE  no difference in what can be compared && note    cut.json is not whole: the capture cannot be read after node 0: the JSON breaks off or is damaged
            record --without-page -o no.d/run.jsonl -- true | 64 | INCONCLUSIVE && meshguard: no.d/run.jsonl cannot be written: its folder does not exist. Give another path with -o.
            record -- meshguard-no-such-program         | 64 | meshguard: Cannot run program "meshguard-no-such-program"
            diff after_load.csv dram.csv                  | 2  | INCONCLUSIVE  no difference in what can be compared && note    L1 is only in after_load.csv.
            analyze --at-end calls.json                 | 1  | LEAK  64 KiB in 1 L1 buffer was never freed; allocated in models/decoder.py:57 && at decoder.forward(models/decoder.py:57) && ttnn::relu at models/decoder.py:57  8 Shape([1, 1, 32, 1024])  -
            diff after_run.csv after_load.csv           | 5  | CHANGED
            diff after_run.csv after_run.csv            | 0  | SAME USAGE  no difference
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
        assertThat(answer.err().lines()).allMatch(line -> status >= 64 && line.startsWith("meshguard: "));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            analyze                    | Missing required parameter: 'LOG'. Try: meshguard analyze --help
            analyze --jsn x.log        | Unknown option: '--jsn'. Try: meshguard analyze --help
            analyze nowhere.log        | nowhere.log does not exist. Give the path of a log, a history, a graph capture or a database, or - for standard input.
            analyze empty.d            | empty.d cannot be read: It is a folder. Give the path of a file
            analyze --expected no.txt -| no.txt does not exist. Give another path with --expected.
            analyze --expected run.log -| run.log:1:1: "a" is no clause. Here may stand a type (DRAM, L1, SYSTEM_MEMORY, L1_SMALL, TRACE), device, devices, size, count, owner, label, origin, overwritten, until, because.
            analyze --rounds ( -       | Invalid value for option '--rounds': cannot convert '(' to Pattern (java.util.regex.PatternSyntaxException: Unclosed group near index 1 (). Try: meshguard analyze --help
            analyze --rank -1 -        | --rank -1: give the rank of a process, 0 or more
            analyze results.json       | results.json is JSON with memory results of tt-mlir's runtime, which is not read. Give a log, a history, a graph capture or a database, a memory report (CSV) or shared memory. Of JSON, histories and graph captures are read.
            analyze verdict.json       | verdict.json is JSON of the format "meshguard-verdict", which is not read. Give a log, a history, a graph capture or a database, a memory report (CSV) or shared memory. Of JSON, histories and graph captures are read.
            analyze long.json          | long.json is JSON whose first key is "x", which is not read. Give a log, a history, a graph capture or a database, a memory report (CSV) or shared memory. Of JSON, histories and graph captures are read.
            analyze deep.json          | deep.json is JSON without a key, which is not read. Give a log, a history, a graph capture or a database, a memory report (CSV) or shared memory. Of JSON, histories and graph captures are read.
            analyze --rounds x leak.jsonl| leak.jsonl is a history, and --rounds is for logs, graph captures and databases. Leave it out.
            analyze --rank 1 run.log   | run.log is a log, and --rank is for databases. Leave it out.
            diff dram.csv device.shm   | dram.csv is a memory report, and device.shm is shared memory: give two runs, or two memory reports.
            diff run.log               | Missing required parameter: 'AFTER'. Try: meshguard diff --help
            diff - -                   | diff reads standard input once, and - is given twice: give the path of one of them.
            diff dram.csv l1.csv       | dram.csv and l1.csv have no figures of the same memory: give two reports of one kind, both whole.
            diff run.log dram.csv      | run.log is a log, and dram.csv is a memory report: give two runs, or two memory reports.
            page nowhere.jsonl         | nowhere.jsonl does not exist. Give the path of a log, a history, a graph capture or a database, or - for standard input.
            page two.json              | two.json has 2 recordings, and only meshguard analyze reads several. Give a file with one, or --rank N with that of a process.
            diff dram.csv nothing.csv      | nothing.csv is of a version that rounds down to KiB: give two reports of one version.
            page dram.csv              | dram.csv has the memory of one moment and no history. meshguard analyze reads it, and meshguard diff compares two.
            page run.log -o no.d/p.html| no.d/p.html cannot be written: its folder does not exist. Give another path with -o.
            page leak.log -o leak.log  | leak.log is the file that is read. Give another path with -o.
            page leak.log -o link.log  | link.log is the file that is read. Give another path with -o.
            record --record-size 100 -- true | --record-size 100: give 72, 112 or 144, whichever the program was built with, or auto
            record --record-size x -- true   | --record-size x: give 72, 112 or 144, whichever the program was built with, or auto
            serve --socket s.sock      | Unmatched arguments from index 0: 'serve', '--socket', 's.sock'. Try: meshguard --help
            suite run.log              | run.log is no folder. Give the one to which tests write their pages.
            suite empty.d              | empty.d has no run in it. Give the folder in which runs is, or one above it.
            """)
    void anErrorIsSaidInOneLine(String command, String sentence) {
        assertThat(Answer.in(folder, command)).isEqualTo(new Answer(64, "", "meshguard: " + sentence + "\n"));
    }

    @Test
    void ofAFullHeapTheCommandIsNoFileThatIsNamed() {
        assertThat(FullHeap.explanation(Answer.words(folder, "leak.log clean.log")))
                .startsWith(folder.resolve("clean.log") + " needs more heap than this JVM has (");
    }

    /** The first line of a block of the page is the text of the row. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            analyze graph.json                | 2 | graph.json: 12 nodes
            analyze detailed_memory_usage.csv | 2 | detailed_memory_usage.csv: 2 memories
            """)
    void anOutputOfTheRuntimeHasTheAnswerThatItsPageShows(String command, int status, String first) throws IOException {
        assertThat(Answer.in(folder, command)).isEqualTo(new Answer(status, shown(first), ""));
    }

    @Test
    void aDatabaseHasItsLeaksWithTheOperationsThatAllocatedThem() {
        assertThat(Answer.in(folder, "analyze --at-end db.sqlite")).isEqualTo(new Answer(1, """
                        db.sqlite: 3 operations, 4 buffers in their snapshots (report database)

                        LEAK  2 KiB in 1 L1 buffer was never freed; allocated in models/decoder.py:57

                        1. L1  2 KiB on device 0, label "Shape([1, 1, 32, 1024])", owned by ttnn.matmul
                           at decoder.forward(models/decoder.py:57)
                           why   UNEXPLAINED: no free was reported
                           fix   Free the buffer before the program ends.
                           seen  allocated in ttnn.matmul (operation 2) (event #3)

                        note    A database has snapshots after each operation: what was freed before the next one is not in it.
                        note    Buffers of the first snapshot that its operation did not demonstrably allocate are not judged: 1, of which 1
                                freed.
                        note    1 buffer has the size of the fullest bank, because no captured_graph has the whole size.
                        limits  no allocator snapshot: rests on the reports alone
                        sum     1 allocated = 0 freed + 1 leaked
                        expect  L1 device 0 size 2048 count atMost 1 label "Shape([1, 1, 32, 1024])" origin "decoder.forward" because "…"

                        Allocated at the end of the recording: 1 buffer
                          address   device  type  size            allocated in                                       tensors                     used by
                          0x16b800  0       L1    2 KiB (2048 B)  ttnn.matmul (operation 2) at models/decoder.py:57  41 Shape([1, 1, 32, 1024])  ttnn.relu (operation 3)
                        """, ""));
    }

    @Test
    void twoMemoryReportsAreComparedByMemory() {
        assertThat(Answer.in(folder, "diff after_load.csv after_run.csv")).isEqualTo(new Answer(1, """
                        CHANGED  between the two moments
                           DRAM allocated: 24 KiB (24576 B) -> 72 KiB (73728 B), +48 KiB (49152 B)
                           DRAM largest free block: 4 KiB (4096 B) -> 2 KiB (2048 B), -2 KiB (2048 B)
                           DRAM new: 1 block of 4 KiB (4096 B) in each bank, at 0x1000 (4096)
                        """, ""));
    }

    @Test
    void anExceptionInACaptureNamesTheBufferAtTheAddressOfItsClash() {
        assertThat(Answer.in(folder, "analyze clash.json").out()).contains("""
                        note    An exception left ttnn::matmul (node 12): "TT_THROW @ program.cpp:1". The rejected request: occupied: circular
                                buffers up to 0x186a00 (1600000), and an L1 buffer lies at 0x16b800 (1488896). The capture has these buffers
                                there in it: 64 KiB (65536 B) at 0x16b800 (1488896), label "tensor 8 Shape([1, 1, 32, 1024])", at
                                decoder.forward(models/decoder.py:57).
                        """);
    }

    /** Returns the block of the page that begins with a text. */
    private static String shown(String first) throws IOException {
        String page = Files.readString(Path.of("..", "docs").resolve("runtime-outputs.md"));
        int begin = page.indexOf("\n" + first) + 1;
        return page.substring(begin, page.indexOf("```", begin));
    }

    @Test
    void sharedMemoryShowsTheProcessesAndThoseThatDoNotRun() {
        Answer answer = Answer.to("analyze", folder.resolve("device.shm").toString());

        assertThat(answer.err()).isEmpty();
        assertThat(answer.out()
                        .replace(folder + "/", "")
                        .replace(String.valueOf(ProcessHandle.current().pid()), "PID")
                        .replaceAll(" {3,}", "  "))
                .isEqualTo("""
                        device.shm: device 0, 2 slots, updated 2099-09-01T12:00:00Z (shared memory)

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
    void thePageOfARankNamesIt() {
        assertThat(Answer.in(folder, "page --rank 1 ranks.sqlite -o page.html").status())
                .isZero();
        assertThat(folder.resolve("page.html")).content().contains("<title>ranks.sqlite rank 1</title>");
    }

    @ParameterizedTest
    @CsvSource({"c, c/meshguard.h", "python, python/meshguard.py", "PYTHON, python/meshguard.py"})
    void aClientIsPrintedAsItIs(String language, Path file) throws IOException {
        assertThat(Answer.to("client", language))
                .isEqualTo(
                        new Answer(0, Files.readString(Path.of("..", "clients").resolve(file)), ""));
    }
}
