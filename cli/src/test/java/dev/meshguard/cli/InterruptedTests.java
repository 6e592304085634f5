package dev.meshguard.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** A program that records another one prints its result after a signal. */
@Timeout(120)
class InterruptedTests {

    @TempDir
    Path folder;

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
}
