package dev.meshguard.verification.forks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The verifier of a run as a build calls it, in a JVM of its own. */
class FailedRunTests {

    @TempDir
    private Path folder;

    @Test
    void theErrorOfAnIncompleteRunHasTheFileToOpenAsItsFirstFrame() throws Exception {
        Path record = Files.writeString(
                Files.createDirectories(folder.resolve("records")).resolve("findings-7-1.jsonl"),
                "{\"schema\":1,\"kind\":\"run\",\"run\":\"7\",\"jvm\":\"1\",\"began\":\"2026-03-01T10:15:30Z\"}\n");

        assertThat(errorsOfVerifier())
                .startsWith(
                        "Exception in thread \"main\" org.opentest4j.AssertionFailedError: INCONCLUSIVE  1 of 1 findings")
                .contains(String.format(Locale.ROOT, "%n\tat findings.file(%s)%n", record));
    }

    private String errorsOfVerifier() throws IOException, InterruptedException {
        Process verifier = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        "-Dmeshguard.run=7",
                        "-Dmeshguard.findings=" + folder.resolve("records"),
                        "dev.meshguard.junit.RunVerifier")
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        String errors = new String(verifier.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(verifier.waitFor()).isEqualTo(1);
        return errors;
    }
}
