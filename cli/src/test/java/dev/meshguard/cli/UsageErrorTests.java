package dev.meshguard.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A wrong command is one line on standard error, which names the way out. */
class UsageErrorTests {

    @TempDir
    Path folder;

    @BeforeEach
    void writeFiles() throws IOException {
        Files.writeString(folder.resolve("run.log"), "a line\n");
        Files.writeString(folder.resolve("dram.csv"), ",DRAM\n,Total allocatable (B):,64\n,Total allocated (B):,0\n");
        Files.writeString(folder.resolve("l1.csv"), ",L1\n,Total allocatable (B):,64\n,Total allocated (B):,0\n");
        Files.writeString(
                folder.resolve("kib.csv"),
                ", Total Allocatable Size (KB), Total Allocated (KB), Total Free (KB), Largest Free Block (KB)\n,1024,0,1024,1024\n");
        Files.writeString(folder.resolve("two.json"), "[{\"node_type\":\"capture_start\"}]".repeat(2));
        Files.writeString(
                folder.resolve("results.json"),
                "{\"0\": {\"loc\": \"a.mlir\", \"dram\": {\"total_bytes_per_bank\": 64}}}");
        Files.writeString(folder.resolve("verdict.json"), "{\n \"format\": \"meshguard-verdict\"\n}");
        Files.writeString(folder.resolve("long.json"), "[{\"x\": [" + "1,".repeat(9_000) + "1]}]");
        Files.writeString(folder.resolve("empty.json"), "[]");
        Files.writeString(
                folder.resolve("run.jsonl"),
                "{\"kind\":\"header\",\"format\":\"meshguard-history\",\"version\":2,\"minor\":0,\"flatAddresses\":true}\n");
        Files.write(folder.resolve("device.shm"), AnalyzeEvidenceTests.sharedMemory(4_096));
        Files.createDirectory(folder.resolve("empty.d"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            analyze                    | Missing required parameter: 'LOG'. Try: meshguard analyze --help
            analyze --jsn x.log        | Unknown option: '--jsn'. Try: meshguard analyze --help
            analyze nowhere.log        | nowhere.log does not exist. Give the path of a log, a history, a graph capture or a database, or - for standard input.
            analyze empty.d            | empty.d cannot be read: Is a directory
            analyze --expected no.txt -| no.txt does not exist. Give another path with --expected.
            analyze --expected run.log -| run.log:1:1: "a" is no clause. Here may stand a type (DRAM, L1, SYSTEM_MEMORY, L1_SMALL, TRACE), device, devices, size, count, owner, label, origin, overwritten, until, because.
            analyze --rounds ( -       | Invalid value for option '--rounds': cannot convert '(' to Pattern (java.util.regex.PatternSyntaxException: Unclosed group near index 1 (). Try: meshguard analyze --help
            analyze --rank -1 -        | --rank -1: give the rank of a process, 0 or more
            analyze results.json       | results.json is JSON with memory results of tt-mlir's runtime, which is not read. Give a log, a history, a graph capture or a database, a memory report (CSV) or shared memory. Of JSON, histories and graph captures are read.
            analyze verdict.json       | verdict.json is JSON of the format "meshguard-verdict", which is not read. Give a log, a history, a graph capture or a database, a memory report (CSV) or shared memory. Of JSON, histories and graph captures are read.
            analyze long.json          | long.json is JSON whose first key is "x", which is not read. Give a log, a history, a graph capture or a database, a memory report (CSV) or shared memory. Of JSON, histories and graph captures are read.
            analyze empty.json         | empty.json is JSON without a key, which is not read. Give a log, a history, a graph capture or a database, a memory report (CSV) or shared memory. Of JSON, histories and graph captures are read.
            analyze --rounds x run.jsonl| run.jsonl is a history, and --rounds is for logs, graph captures and databases. Leave it out.
            analyze --rank 1 run.log   | run.log is a log, and --rank is for databases. Leave it out.
            diff dram.csv device.shm   | dram.csv is a memory report, and device.shm is shared memory: give two runs, or two memory reports.
            diff run.log               | Missing required parameter: 'AFTER'. Try: meshguard diff --help
            diff - -                   | diff reads standard input once, and - is given twice: give the path of one of them.
            diff dram.csv l1.csv       | dram.csv and l1.csv have no figures of the same memory: give two reports of one kind, both whole.
            diff run.log dram.csv      | run.log is a log, and dram.csv is a memory report: give two runs, or two memory reports.
            page nowhere.jsonl         | nowhere.jsonl does not exist. Give the path of a log, a history, a graph capture or a database, or - for standard input.
            page two.json              | two.json has 2 recordings, and only meshguard analyze reads several. Give a file with one, or --rank N with that of a process.
            diff dram.csv kib.csv      | kib.csv is of a version that rounds down to KiB: give two reports of one version.
            page dram.csv              | dram.csv has the memory of one moment and no history. meshguard analyze reads it, and meshguard diff compares two.
            page run.log -o no.d/p.html| no.d/p.html cannot be written: its folder does not exist. Give another path with -o.
            serve --record-size 100    | --record-size 100: give 72, 112 or 144, whichever the programs were built with, or auto
            serve --record-size x      | --record-size x: give 72, 112 or 144, whichever the programs were built with, or auto
            serve --dead-check -5      | --dead-check -5: give a number from 0 to 86400
            serve --dead-check 9223372036854775807 | --dead-check 9223372036854775807: give a number from 0 to 86400
            serve --devices -1         | --devices -1: give a number from 0 to 1024
            serve --devices 1000000    | --devices 1000000: give a number from 0 to 1024
            serve --socket x.sock --log no.d/server.log | no.d/server.log cannot be written: its folder does not exist. Give another path with --log.
            dump --socket x.sock       | No allocation server answers at x.sock. Start one with: meshguard serve --socket x.sock
            suite run.log              | run.log is no folder. Give the one to which tests write their pages.
            suite empty.d              | empty.d has no run in it. Give the folder in which runs is, or one above it.
            """)
    void isSaidInOneLine(String command, String sentence) {
        assertThat(Answer.in(folder, command)).isEqualTo(new Answer(64, "", "meshguard: " + sentence + "\n"));
    }
}
