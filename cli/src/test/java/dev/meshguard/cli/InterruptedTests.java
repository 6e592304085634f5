package dev.meshguard.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** A program that follows a log or records a program prints its result after a signal. */
@Timeout(120)
class InterruptedTests {

    private static final String ALLOCATED = "✓ [PID 7] Allocated 4096 bytes of L1 on device 0 (buffer_id=901152)\n";
    private static final String END = "Allocation Server stopped\n";
    private static final String FREED = "✗ [PID 7] Freed buffer 901152 on device 0 (4096 bytes, FINAL)\n";

    @TempDir
    Path folder;

    @Test
    @EnabledIf("dev.meshguard.cli.OpenFiles#areListed")
    void aSignalEndsItWithTheStatusOfTheVerdict() throws IOException, InterruptedException {
        assertThat(followedUntilInterrupted(ALLOCATED + END)).isEqualTo("1 LEAK");
    }

    @Test
    @EnabledIf("dev.meshguard.cli.OpenFiles#areListed")
    void aLogThatFreedAllExitsWithZeroAfterASignalToo() throws IOException, InterruptedException {
        assertThat(followedUntilInterrupted(ALLOCATED + FREED)).isEqualTo("0 CLEAN");
    }

    @Test
    @DisabledOnOs(OS.WINDOWS)
    void aRecordedProgramIsEndedAndJudgedAfterASignal() throws IOException, InterruptedException {
        Path started = folder.resolve("started");
        Path answer = folder.resolve("answer.txt");
        Process program = MeshGuardProcess.of(
                        List.of(),
                        List.of("record", "--without-page", "--", "sh", "-c", "echo > '" + started + "'; exec cat"))
                .redirectErrorStream(true)
                .redirectOutput(answer.toFile())
                .start();
        ProcessWait.until(program, () -> Files.exists(started));
        program.destroy();

        assertThat(program.waitFor(1, TimeUnit.MINUTES)).isTrue();
        assertThat(program.exitValue()).isEqualTo(143);
        assertThat(answer).content().startsWith("INCONCLUSIVE  ").contains("as after signal 15");
    }

    /** Returns the status and the first word of the verdict. */
    private String followedUntilInterrupted(String text) throws IOException, InterruptedException {
        Path log = Files.writeString(folder.resolve("server.log"), text);
        Path answer = folder.resolve("answer.txt");
        Process program = MeshGuardProcess.of(List.of(), List.of("analyze", "--follow", log.toString()))
                .redirectErrorStream(true)
                .redirectOutput(answer.toFile())
                .start();
        OpenFiles.await(program, log);
        program.destroy();

        assertThat(program.waitFor(1, TimeUnit.MINUTES)).isTrue();
        String[] lines = Files.readString(answer, StandardCharsets.UTF_8).split("\n", -1);
        return program.exitValue() + " "
                + (lines.length > 2 ? lines[2].replaceFirst(" .*", "") : String.join("\n", lines));
    }
}
