package dev.meshguard.samples.forks;

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
                Files.createDirectories(folder.resolve("records")).resolve("meshguard-1-1.jvm-record"),
                "meshguard JVM record 3 of run 7\n");

        assertThat(errorsOfVerifier())
                .startsWith(
                        "Exception in thread \"main\" org.opentest4j.AssertionFailedError: INCONCLUSIVE  1 of 1 JVM")
                .contains(String.format(Locale.ROOT, "%n\tat jvm-record.file(%s)%n", record));
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
