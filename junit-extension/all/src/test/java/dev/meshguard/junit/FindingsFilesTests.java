package dev.meshguard.junit;

import static dev.meshguard.junit.testkit.JupiterRun.masked;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.junit.testkit.JupiterRun;
import dev.meshguard.junit.testkit.RunAssert;
import dev.meshguard.mesh.MeshDevice;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** With {@code meshguard.findings} each JVM writes its checks and findings. */
class FindingsFilesTests {

    private static final String RUN = "\"run\":\"NAME\",\"jvm\":\"JVM\",\"began\":\"BEGAN\"";

    @TempDir
    private Path folder;

    @Test
    void haveALineForEachCheckAndEachOfItsFindings() throws IOException {
        run(LeakTestCase.class, Map.of());

        assertThat(text()).isEqualTo("""
                {"schema":1,"kind":"run",RUN}
                {"schema":1,"kind":"check",RUN,TEST#freesAll","subject":"TEST","source":"mesh","result":"PASSED","completed":true,\
                "outcome":"LEAK_FREE","findings":0,"peakBytes":4096,"leakedBytes":0}
                {"schema":1,"kind":"finding",RUN,TEST#leaks","subject":"TEST","source":"mesh","result":"FAILED","completed":true,\
                "fingerprint":"DIGITS","cause":"LOST","status":"LEAKED","type":"DRAM",\
                "line":"dev.meshguard.junit.FindingsFilesTests$LeakTestCase.leaks(FindingsFilesTests.java:NN)","known":false,\
                "buffers":8,"bytes":32768}
                {"schema":1,"kind":"check",RUN,TEST#leaks","subject":"TEST","source":"mesh","result":"FAILED","completed":true,\
                "outcome":"LEAKED","findings":1,"peakBytes":4096,"leakedBytes":32768}
                {"schema":1,"kind":"check",RUN,TEST#requestsNothing","subject":"TEST","result":"PASSED","completed":true,\
                "outcome":"LEAK_FREE","findings":0,"peakBytes":0,"leakedBytes":0}
                {"schema":1,"kind":"end",RUN,"checks":3,"findings":1,"lines":5}
                """.replace("RUN", RUN).replace("TEST#", test("LeakTestCase")));
    }

    @Test
    void ofMemoryOfNoTestHaveTheRunAsSubject() throws IOException {
        run(UnownedMemoryTestCase.class, Map.of());

        assertThat(text())
                .contains("\"test\":\"the whole run\",\"subject\":\"RUN\",\"source\":\"global\",\"result\":\"FAILED\"");
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            SharedMeshTestCase             | run, check allocatesNothing PASSED LEAK_FREE, check frees PASSED LEAK_FREE, finding leaks FAILED LEAKED, check leaks FAILED LEAKED, finding SharedMeshTestCase PASSED EXPECTED, check SharedMeshTestCase PASSED EXPECTED_ONLY, end
            ExpectingTestCase              | run, finding keeps PASSED EXPECTED, check keeps PASSED EXPECTED_ONLY, entry, matched, end
            PromisingTestCase              | run, check keepsNothing FAILED STALE_EXPECTATION, entry, end
            PromisingOnSharedMeshTestCase  | run, check keepsNothing FAILED STALE_EXPECTATION, check PromisingOnSharedMeshTestCase PASSED LEAK_FREE, entry, end
            """)
    void showWhatIsLeakedExpectedOrLacking(String testCase, String lines) throws IOException, ClassNotFoundException {
        run(Class.forName(FindingsFilesTests.class.getName() + "$" + testCase), Map.of());

        assertThat(String.join(", ", shortLines())).isEqualTo(lines);
    }

    @Test
    void showWhichFindingsTheBaselineKnows() throws IOException {
        Path baseline = Files.writeString(folder.resolve("known.txt"), TypicalTestCase.KNOWN_LEAK);

        run(TypicalTestCase.Leak.class, Map.of("meshguard.baseline", baseline.toString()));

        assertThat(text())
                .contains("\"kind\":\"found\"", "\"result\":\"KNOWN\"", "\"status\":\"LEAKED\"", "\"known\":true");
    }

    @Test
    void showWhichTestsDidNotComplete() throws IOException {
        run(TypicalTestCase.Incomplete.class, Map.of());

        assertThat(text()).contains("\"result\":\"PASSED\",\"completed\":false,\"outcome\":\"LEAK_FREE\"");
    }

    @Test
    void omitTestsWhoseMemoryIsNotChecked() throws IOException {
        run(LeakTestCase.class, Map.of("meshguard.check", "none"));

        assertThat(shortLines()).containsExactly("run", "end");
    }

    @Test
    void ofOneJvmThatRunsTestsTwiceAreTwo() throws IOException {
        run(TypicalTestCase.Clean.class, Map.of());
        run(TypicalTestCase.Clean.class, Map.of());

        assertThat(files()).hasSize(2);
    }

    @Test
    void haveWholeLinesOfConcurrentInvocationsAndDynamicTests() throws IOException {
        JupiterRun.runConcurrently(InvocationsTestCase.class, parameters(Map.of()));

        assertThat(shortLines())
                .startsWith("run")
                .endsWith("end")
                .containsOnlyOnce(
                        "check decodes[1] PASSED LEAK_FREE",
                        "check decodes[2] PASSED LEAK_FREE",
                        "finding factory [leaks] FAILED LEAKED",
                        "check factory [leaks] FAILED LEAKED",
                        "check factory [clean] PASSED LEAK_FREE",
                        "check factory PASSED EXPECTED_ONLY");
    }

    @Test
    void thatCannotBeWrittenFailNoTestAndAreReported() throws IOException {
        Path file = Files.writeString(folder.resolve("file"), "");

        RunAssert.assertThat(run(TypicalTestCase.Clean.class, Map.of("meshguard.findings", file.toString())))
                .hasOnlySucceeded(1)
                .hasPublishedTextContaining("The findings lack 1 check: a line could not be written to " + file
                        + " (meshguard.findings): java.nio.file.FileAlreadyExistsException: " + file);
    }

    private RunAssert.Results run(Class<?> testClass, Map<String, String> more) {
        return JupiterRun.run(testClass, parameters(more));
    }

    private Map<String, String> parameters(Map<String, String> more) {
        Map<String, String> parameters = new HashMap<>(
                Map.of("meshguard.findings", folder.resolve("findings").toString()));
        parameters.putAll(more);
        return parameters;
    }

    private static String test(String testClass) {
        return "\"test\":\"dev.meshguard.junit.FindingsFilesTests$" + testClass + "#";
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> files = Files.list(folder.resolve("findings"))) {
            return files.map(Path::getFileName).toList();
        }
    }

    /** Returns the only file, with what differs from run to run masked. */
    private String text() throws IOException {
        Path file = files().get(0);
        return masked(Files.readString(folder.resolve("findings").resolve(file)))
                .replaceAll("\"run\":\"[^\"]+\"", "\"run\":\"NAME\"")
                .replaceAll("\"jvm\":\"[^\"]+\"", "\"jvm\":\"JVM\"")
                .replaceAll("\"began\":\"[^\"]+Z\"", "\"began\":\"BEGAN\"")
                .replaceAll(",\"(commit|machine)\":\"[^\"]+\"", "")
                .replaceAll("[0-9a-f]{64}", "DIGITS");
    }

    /** Returns kind, test, result and outcome or status of each line. */
    private List<String> shortLines() throws IOException {
        return text().lines()
                .map(line -> line.replaceAll(".*\"kind\":\"(\\w+)\".*", "$1")
                        + (line.contains("\"test\"")
                                ? line.replaceAll(
                                        ".*\"test\":\"[^\"]*[$#]([^\"]+)\".*\"result\":\"(\\w+)\".*\"(?:outcome|status)\":\"(\\w+)\".*",
                                        " $1 $2 $3")
                                : ""))
                .toList();
    }

    @TrackAllocations
    @TestMethodOrder(MethodOrderer.MethodName.class)
    static class LeakTestCase {

        @Test
        void freesAll(MeshDevice mesh) {
            Buffers.take(mesh).deallocate();
        }

        @Test
        void leaks(MeshDevice mesh) {
            Buffers.take(mesh);
        }

        @Test
        void requestsNothing() {}
    }

    static class SharedMeshTestCase extends TypicalTestCase.Shared {
        @Test
        void allocatesNothing(MeshDevice mesh) {}
    }

    @ExpectBuffers(label = "weights", because = "shared")
    static class ExpectingTestCase extends TypicalTestCase.Weights {}

    @TrackAllocations
    static class PromisingTestCase {

        @Test
        @ExpectBuffers(label = "weights", atLeast = 1, because = "shared")
        void keepsNothing() {}
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS, accounting = Accounting.EACH_TEST)
    static class PromisingOnSharedMeshTestCase {

        @Test
        @ExpectBuffers(label = "weights", atLeast = 1, because = "shared")
        void keepsNothing(MeshDevice mesh) {}
    }

    @TrackAllocations
    @TestMethodOrder(MethodOrderer.MethodName.class)
    static class InvocationsTestCase {

        @ParameterizedTest
        @ValueSource(strings = {"a", "b"})
        void decodes(String text, MeshDevice mesh) {}

        @TestFactory
        Stream<DynamicTest> factory(MeshDevice mesh) {
            return Stream.of(
                    DynamicTest.dynamicTest("leaks", () -> Buffers.take(mesh)),
                    DynamicTest.dynamicTest("clean", () -> Buffers.take(mesh).deallocate()));
        }
    }
}
