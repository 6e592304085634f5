package dev.meshguard.junit;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.meshguard.junit.mesh.FakeMesh;
import dev.meshguard.junit.processes.WatchedProcesses;
import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.junit.testkit.JupiterRun;
import dev.meshguard.junit.testkit.RunAssert;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.server.process.TrackedProcesses;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Failed checks write pages by default, each named in its failure text. */
class PagesTests {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Pattern DATA =
            Pattern.compile("<script type=\"application/json\" id=\"data\">(.*?)</script>", Pattern.DOTALL);

    @TempDir
    private Path folder;

    /** With a value of its data. */
    @ParameterizedTest
    @CsvSource({
        "CleanAndLeak, leaks, #finding-1, /title, TypicalTestCase$CleanAndLeak#leaks",
        "OverBudget, takesTooMuch, '', /matrix/0/budget, 16",
        "Growing, grows, '', /growth/trend, GROWING"
    })
    void aTestThatFailsLeavesAPageWhoseTextIsThatOfTheFailure(
            String testCase, String test, String anchor, String pointer, String value) throws ClassNotFoundException {
        String failure = run(Class.forName(TypicalTestCase.class.getName() + "$" + testCase))
                .hasFailureOf(test)
                .text();

        Path page = onlyPage("TypicalTestCase." + testCase + "." + test + "-");
        assertThat(failure).contains("\npage    " + page + anchor + "\nrerun   ");
        assertThat(textOf(page)).isEqualTo(failure);
        assertThat(dataOf(page).at(pointer).asText()).isEqualTo(value);
    }

    @Test
    void allTestsLeavePagesIfThatIsAsked() {
        run(Map.of("meshguard.page", "always"), TypicalTestCase.CleanAndLeak.class);

        assertThat(titles())
                .containsExactly("TypicalTestCase$CleanAndLeak#freesAll", "TypicalTestCase$CleanAndLeak#leaks");
        assertThat(dataOf(onlyPage("TypicalTestCase.CleanAndLeak.freesAll-"))
                        .at("/outcome")
                        .textValue())
                .isEqualTo("LEAK_FREE");
    }

    @Test
    void noneLeavesAPageIfThatIsAsked() throws IOException {
        String failure = run(Map.of("meshguard.page", "off"), TypicalTestCase.CleanAndLeak.class)
                .hasTest("leaks")
                .whichFailed()
                .text();

        assertThat(failure).doesNotContain("page    ");
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files).isEmpty();
        }
    }

    @Test
    void pagesOfOneTestHaveTheSameNameInEachRun() {
        run(InvocationsTestCase.class);
        List<String> first = pages();
        run(InvocationsTestCase.class);

        assertThat(pages()).isEqualTo(first).hasSize(6).allMatch(name -> name.matches("[A-Za-z0-9._-]+\\.html"));
        assertThat(titles())
                .containsExactly(
                        "PagesTests$InvocationsTestCase#dynamic [one]",
                        "PagesTests$InvocationsTestCase#dynamic [two/..\\]",
                        "PagesTests$InvocationsTestCase#parameterized case 1 <b>",
                        "PagesTests$InvocationsTestCase#parameterized case 2 <b>",
                        "PagesTests$InvocationsTestCase#repeated repetition 1 of 2",
                        "PagesTests$InvocationsTestCase#repeated repetition 2 of 2");
    }

    @Test
    void aPageOfAnEarlierRunIsTakenAwayWhenItsTestHolds() throws IOException {
        TypicalTestCase.Flaky.leaks = true;
        run(TypicalTestCase.Flaky.class);
        Files.setLastModifiedTime(onlyPage("TypicalTestCase.Flaky.decodes-"), FileTime.fromMillis(0));

        TypicalTestCase.Flaky.leaks = false;
        run(TypicalTestCase.Flaky.class, TypicalTestCase.CleanAndLeak.class);

        assertThat(titles()).containsExactly("TypicalTestCase$CleanAndLeak#leaks");
    }

    @Test
    void aPageOfRoundsThatGrewIsNotReplacedByThatOfTheirMesh() {
        run(Map.of("meshguard.page", "always"), TypicalTestCase.Growing.class);

        assertThat(dataOf(onlyPage("TypicalTestCase.Growing.grows-"))
                        .at("/headline")
                        .textValue())
                .startsWith("Memory grows with the rounds of");
    }

    @Test
    void meshesOfAClassAndMemoryOfNoTestLeavePages() {
        run(ClassTestCase.class, UnownedMemoryTestCase.class);

        assertThat(titles()).containsExactly("PagesTests$ClassTestCase", "the whole run");
        assertThat(pages()).anyMatch(name -> name.startsWith("whole-run-"));
    }

    @Test
    void aProgramThatIsWatchedLeavesAPageOfItsOwn() {
        run(ProgramTestCase.class);

        assertThat(titles()).containsExactly("PagesTests$ProgramTestCase#decodes, process 1");
        assertThat(dataOf(onlyPage("PagesTests.ProgramTestCase.decodes.process.1-"))
                        .at("/outcome")
                        .textValue())
                .isEqualTo("INCONCLUSIVE");
    }

    @Test
    void aTestThatSaidAllOfItItselfLeavesAPage() {
        RunAssert run = run(TypicalTestCase.Asserted.class);

        Path page = onlyPage("TypicalTestCase.Asserted.asserts-");
        run.hasPublishedTextContaining("'page    " + page + "'");
        assertThat(dataOf(page).at("/outcome").textValue()).isEqualTo("LEAKED");
    }

    @Test
    void aPageThatCannotBeWrittenHidesNothingAndDoesNotGoUnseen() throws IOException {
        Path occupied = Files.writeString(folder.resolve("occupied"), "");

        RunAssert.Failure failure = run(
                        Map.of("meshguard.page.folder", occupied.toString()), TypicalTestCase.CleanAndLeak.class)
                .hasTest("leaks")
                .whichFailed()
                .withSuppressedTextContaining(
                        "The page of this failure could not be written to " + occupied + " (meshguard.page.folder): ",
                        ". What is written here is all there is.");

        assertThat(failure.text()).startsWith("LEAK  ").doesNotContain("page    ");
    }

    @Test
    void aPageWhosePlaceIsOccupiedIsReportedAtTheEnd() throws IOException {
        run(TypicalTestCase.Asserted.class);
        Path page = onlyPage("TypicalTestCase.Asserted.asserts-");
        Files.delete(page);
        Files.createDirectories(page.resolve("occupied"));

        run(TypicalTestCase.Asserted.class)
                .hasPublishedTextContaining("'The page of TypicalTestCase$Asserted#asserts could not be written to "
                        + folder + " (meshguard.page.folder): ");
    }

    @Test
    void aPageThatCannotBeWrittenOfATestThatHoldsIsSaid() throws IOException {
        Path occupied = Files.writeString(folder.resolve("occupied"), "");

        run(
                        Map.of("meshguard.page", "always", "meshguard.page.folder", occupied.toString()),
                        TypicalTestCase.CleanAndLeak.class)
                .hasOnlyFailed("leaks(MeshDevice)")
                .hasPublishedTextContaining(
                        "'The page of this check could not be written to " + occupied + " (meshguard.page.folder): ");
    }

    private RunAssert run(Class<?>... classes) {
        return run(Map.of(), classes);
    }

    private RunAssert run(Map<String, String> parameters, Class<?>... classes) {
        Map<String, String> all =
                new HashMap<>(Map.of("meshguard.page", "failures", "meshguard.page.folder", folder.toString()));
        all.putAll(parameters);
        return RunAssert.assertThat(JupiterRun.runTogether(all, classes));
    }

    /** Returns the text of a page, line numbers masked. */
    private static String textOf(Path page) {
        return JupiterRun.masked(dataOf(page).at("/text").textValue());
    }

    private List<String> pages() {
        return in(folder.resolve("runs"), name -> name.endsWith(".html"));
    }

    private Path onlyPage(String prefix) {
        List<String> found = in(folder.resolve("runs"), name -> name.startsWith(prefix) && name.endsWith(".html"));
        assertThat(found).hasSize(1);
        return folder.resolve("runs").resolve(found.get(0));
    }

    private static List<String> in(Path folder, Predicate<String> wanted) {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> String.valueOf(file.getFileName()))
                    .filter(wanted)
                    .sorted()
                    .collect(Collectors.toList());
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    private List<String> titles() {
        return dataOf(folder.resolve("index.html")).at("/runs").findValuesAsText("title");
    }

    private static JsonNode dataOf(Path page) {
        try {
            Matcher data = DATA.matcher(Files.readString(page));
            assertThat(data.find()).isTrue();
            return JSON.readTree(data.group(1));
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    @TrackAllocations
    @FakeMesh(rows = 1, columns = 1)
    static class InvocationsTestCase {

        @ParameterizedTest(name = "case {index} <b>")
        @ValueSource(ints = {7, 8})
        void parameterized(int value, MeshDevice mesh) {
            Buffers.take(mesh);
        }

        @RepeatedTest(2)
        void repeated(MeshDevice mesh) {
            Buffers.take(mesh);
        }

        @TestFactory
        Stream<DynamicTest> dynamic(MeshDevice mesh) {
            return Stream.of("one", "two/..\\").map(name -> DynamicTest.dynamicTest(name, () -> Buffers.take(mesh)));
        }
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS)
    static class ClassTestCase extends TypicalTestCase.Leak {}

    @TrackAllocations
    @WatchedProcesses
    static class ProgramTestCase {

        @Test
        void decodes(TrackedProcesses processes) throws Exception {
            processes.start("true").await(Duration.ofMinutes(1));
        }
    }
}
