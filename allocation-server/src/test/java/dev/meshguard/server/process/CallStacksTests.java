package dev.meshguard.server.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.server.protocol.RecordSize;
import dev.meshguard.verdict.LeakVerdict;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The call stacks that the client with stack traces writes name the lines of the reports. */
@Timeout(120)
class CallStacksTests {

    private static final String RULE = "─".repeat(40) + "\n";
    private static final String LOAD =
            "  File \"/home/user/decode.py\", line 41, in load\n  File \"/home/user/main.py\", line 7, in <module>\n";
    private static final String CREATE = "  decode: kv::Cache::create(int) at /src/cache.cpp:12\n";

    @TempDir
    private Path folder;

    @Test
    void aLeakNamesTheLineThatItsBlockNames() throws Exception {
        Path log = folder.resolve("stacks.log");

        try (TrackedProcess program = started(
                log,
                "allocate 4096",
                append(log, allocation(4096, 4096, LOAD)),
                "free 4096",
                append(log, RULE + "Deallocation\nDevice: 0\nAddress: 0x1000\n"),
                "allocate 4096",
                append(log, allocation(4096, 4096, CREATE)),
                "allocate 8192",
                append(log, allocation(8192, 4096, LOAD)))) {
            LeakVerdict verdict = program.verdict();

            assertThat(verdict.survivors())
                    .extracting(survivor -> survivor.buffer()
                            .origin()
                            .orElseThrow()
                            .frames()
                            .get(0)
                            .toString())
                    .containsExactly("decode.kv::Cache::create(int)(cache.cpp:12)", "decode.load(decode.py:41)");
            assertThat(program.notes()).contains("the call stacks of 3 of 3 allocations are those in " + log);
        }
    }

    @Test
    void whatAnotherProgramWroteBeforeIsNotRead() throws Exception {
        Path log = Files.writeString(folder.resolve("stacks.log"), allocation(4096, 4096, CREATE));

        try (TrackedProcess program = started(log, "allocate 4096", append(log, allocation(4096, 4096, LOAD)))) {
            assertThat(lines(program.verdict())).containsExactly("decode.load(decode.py:41)");
        }
    }

    @Test
    void blocksThatDoNotAgreeWithTheReportsNameNothing() throws Exception {
        Path log = folder.resolve("stacks.log");

        try (TrackedProcess program = started(
                log,
                "allocate 4096",
                append(log, allocation(4096, 64, LOAD)),
                "allocate 8192",
                append(log, allocation(8192, 4096, LOAD)),
                append(log, allocation(8192, 4096, LOAD)))) {
            assertThat(lines(program.verdict())).isEmpty();
            assertThat(program.notes()).contains("the call stacks of 0 of 2 allocations are those in " + log);
        }
    }

    @Test
    void aClientThatWritesNoneIsReported() throws Exception {
        Path log = folder.resolve("stacks.log");

        try (TrackedProcess program = started(log, "allocate 4096")) {
            assertThat(program.verdict().survivors()).hasSize(1);
            assertThat(program.notes())
                    .contains("no call stacks were read from " + log + " (NoSuchFileException); only the client with"
                            + " stack traces writes them, if TT_ALLOC_STACK_TRACE is 1");
        }
    }

    private static TrackedProcess started(Path log, String... steps) throws IOException, InterruptedException {
        TrackedProcess program = TrackedProcess.command(ReportingProgram.command(withSize(steps)))
                .callStacks(log)
                .recordSize(RecordSize.BYTES_112)
                .start();
        program.await(Duration.ofMinutes(1));
        return program;
    }

    private static String[] withSize(String... steps) {
        String[] all = new String[steps.length + 1];
        all[0] = "112";
        System.arraycopy(steps, 0, all, 1, steps.length);
        return all;
    }

    private static List<String> lines(LeakVerdict verdict) {
        return verdict.survivors().stream()
                .flatMap(survivor -> survivor.buffer().origin().stream())
                .map(origin -> origin.frames().get(0).toString())
                .toList();
    }

    private static String append(Path log, String text) {
        return "append " + log + " " + text;
    }

    private static String allocation(long address, long size, String stack) {
        return RULE + "Allocation #1\nDevice: 0\nType: DRAM\nSize: " + size + " bytes\nAddress: " + address
                + "\nStack trace:\n" + stack;
    }
}
