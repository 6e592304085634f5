package dev.meshguard.junit;

import static dev.meshguard.junit.testkit.JupiterRun.run;
import static dev.meshguard.junit.testkit.JupiterRun.runConcurrently;
import static dev.meshguard.junit.testkit.RunAssert.assertThat;

import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.junit.testkit.RunAssert;
import dev.meshguard.mesh.MeshDevice;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The files of a whole run: expected buffers and known leaks. */
class RunFilesTests {

    @TempDir
    private Path folder;

    @Test
    void appliesTheExpectedBuffersFileOfTheRun() throws IOException {
        assertThat(runExpecting("DRAM label \"weights\" count exactly 8 because \"shared\"\n"))
                .hasOnlySucceeded(1);
    }

    @Test
    void aFailureNamesFileAndLine() throws IOException {
        assertThat(runExpecting("\nDRAM label \"weights\" count exactly 7 because \"shared\"\n"))
                .hasOnlyLeakOf("keeps(MeshDevice)")
                .withTextContaining("(DRAM, label \"weights\", exactly 7 buffers, because \"shared\" at "
                        + folder.resolve("expected.txt") + ":2); 1 more than that allows");
    }

    @Test
    void entriesMatchInTestsThatRunAtTheSameTime() throws IOException {
        Path file = write("expected.txt", """
                label a because "of the first"
                label b because "of the second"
                label c because "of the third"
                label d because "of the fourth"
                """);

        assertThat(runConcurrently(
                        FourTestCase.class,
                        Map.of("meshguard.expected-buffers", file.toString(), "meshguard.run", "1")))
                .hasOnlySucceeded(4);
    }

    @Test
    void aFileWithAWrongLineFailsEachTest() throws IOException {
        assertThat(runExpecting("DRAM because\n"))
                .hasSingleTest()
                .whichFailed()
                .with(
                        ExtensionConfigurationException.class,
                        folder.resolve("expected.txt") + ":1:13: the line ends where the reason has to stand.");
    }

    @Test
    void aFileThatAClassNamesHasToBeThere() {
        assertThat(run(MissingFileTestCase.class))
                .hasSingleTest()
                .whichFailed()
                .with(
                        ExtensionConfigurationException.class,
                        "@ExpectedBuffersFile on RunFilesTests$MissingFileTestCase = no/such/file.txt is rejected. There is no such"
                                + " file: " + Path.of("no/such/file.txt").toAbsolutePath() + ".");
    }

    @Test
    void reportsAKnownLeakWithoutFailing() throws IOException {
        assertThat(runKnowing(StandardCharsets.UTF_8, TypicalTestCase.Leak.class))
                .hasTest("leaks")
                .whichSucceededWithPublishedTextContaining(
                        "   note  fingerprint ",
                        " · known\n",
                        "note    every leak is in the baseline, so the test does not fail");
    }

    @Test
    void aNewLeakFailsBesideAKnownOne() throws IOException {
        assertThat(runKnowing(StandardCharsets.UTF_8, TypicalTestCase.Weights.class))
                .hasOnlyLeakOf("keeps(MeshDevice)")
                .withTextContaining(" · new since the baseline\n");
    }

    @Test
    void namesABaselineThatIsNotInUtf8() throws IOException {
        assertThat(runKnowing(StandardCharsets.UTF_16, TypicalTestCase.Leak.class))
                .hasSingleTest()
                .whichFailed()
                .with(
                        ExtensionConfigurationException.class,
                        folder.resolve("known.txt") + " is not in UTF-8: save it as UTF-8.");
    }

    /** Runs a test that keeps weights with a file of expected buffers. */
    private RunAssert.Results runExpecting(String lines) throws IOException {
        Path file = write("expected.txt", lines);
        return run(TypicalTestCase.Weights.class, Map.of("meshguard.expected-buffers", file.toString()));
    }

    private RunAssert.Results runKnowing(Charset encoding, Class<?> testCase) throws IOException {
        Path known = Files.writeString(folder.resolve("known.txt"), TypicalTestCase.KNOWN_LEAK, encoding);
        return run(testCase, Map.of("meshguard.baseline", known.toString()));
    }

    private Path write(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text);
    }

    @TrackAllocations
    static class FourTestCase {
        @ParameterizedTest
        @ValueSource(strings = {"a", "b", "c", "d"})
        void keeps(String label, MeshDevice mesh) {
            Buffers.take(mesh, label);
        }
    }

    @TrackAllocations
    @ExpectedBuffersFile("no/such/file.txt")
    static class MissingFileTestCase {
        @Test
        void keeps(MeshDevice mesh) {}
    }
}
