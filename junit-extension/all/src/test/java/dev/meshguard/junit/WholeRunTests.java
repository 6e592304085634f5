package dev.meshguard.junit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.BufferType;
import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.junit.testkit.JupiterRun;
import dev.meshguard.junit.testkit.LaunchedRun;
import dev.meshguard.junit.testkit.RunAssert;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.verdict.Outcome;
import dev.meshguard.verdict.baseline.Baseline;
import dev.meshguard.verdict.baseline.BaselineEntry;
import dev.meshguard.verdict.baseline.Fingerprint;
import dev.meshguard.verdict.expectation.Expectation;
import java.io.IOException;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.opentest4j.AssertionFailedError;

/**
 * A whole run reports the entries and known leaks that nothing in it needs any more.
 *
 * <p>A known leak is gone only if each test that had it completed without it.
 */
class WholeRunTests {

    private static final String STRICT = "strict";

    @TempDir
    private Path folder;

    private Path file() {
        return folder.resolve("known.txt");
    }

    /** Writes a baseline with leaks that are not made any more, each with its test, or with several after commas. */
    private void known(String... tests) throws IOException {
        List<BaselineEntry> entries = new ArrayList<>();
        for (String test : tests) {
            entries.add(new BaselineEntry(
                    new Fingerprint(String.format("%012x", entries.size()), BufferType.DRAM, 64, "Model.load"),
                    1,
                    test.isEmpty() ? new TreeSet<>() : new TreeSet<>(List.of(test.split(", ", -1)))));
        }
        Files.writeString(file(), Baseline.of(entries).toText());
    }

    private Map<String, String> parameters(String update) {
        Map<String, String> parameters = new HashMap<>();
        parameters.put("meshguard.run", "7");
        parameters.put("meshguard.baseline", file().toString());
        parameters.put("meshguard.baseline.update", update);
        return parameters;
    }

    private Map<String, String> inFindings(String update) {
        Map<String, String> parameters = parameters(update);
        parameters.put("meshguard.findings", folder.resolve("findings").toString());
        return parameters;
    }

    private static RunVerifier judged(Map<String, String> parameters) throws IOException {
        return judged(parameters, Map.of());
    }

    private static RunVerifier judged(Map<String, String> parameters, Map<String, String> environment)
            throws IOException {
        return RunVerifier.judge(name -> Optional.ofNullable(parameters.get(name)), environment);
    }

    private static String nameOf(Class<?> type, String test) {
        return type.getName() + test;
    }

    @Test
    void testsThatCompletedAreJudgedOnly() throws IOException {
        known(
                nameOf(SomeIncompleteTestCase.class, "#passes"),
                nameOf(SomeIncompleteTestCase.class, "#fails"),
                nameOf(SomeIncompleteTestCase.class, "#aborts"),
                nameOf(SomeIncompleteTestCase.class, "#isDisabled"),
                nameOf(SomeIncompleteTestCase.class, "#timesOut"),
                nameOf(SomeIncompleteTestCase.class, "#repeated[1]"),
                nameOf(SomeIncompleteTestCase.class, "#repeated[2]"),
                nameOf(SomeIncompleteTestCase.class, "#repeated[3]"),
                nameOf(SomeIncompleteTestCase.DisabledTestCase.class, "#passes"),
                "dev.example.RemovedTest#passes",
                nameOf(SomeIncompleteTestCase.EachTestTestCase.class, "#passes"),
                nameOf(SomeIncompleteTestCase.EachTestTestCase.class, "#isDisabledToo"),
                nameOf(BeforeAllTestCase.class, "#passes"),
                nameOf(SomeIncompleteTestCase.class, "#passes") + ", "
                        + nameOf(SomeIncompleteTestCase.class, "#fails"));

        JupiterRun.runTogether(inFindings(STRICT), SomeIncompleteTestCase.class, BeforeAllTestCase.class);

        assertThat(judged(inFindings(STRICT), Map.of("CI", "true")).text())
                .isEqualTo("""
                        Baseline %s: 3 of 14 known leaks are gone or smaller:
                           000000000000 1 DRAM 64 Model.load
                           000000000005 1 DRAM 64 Model.load
                           00000000000a 1 DRAM 64 Model.load
                        Take it out with -Dmeshguard.baseline.update=shrink; not where CI is set, there the file is only read.
                        Not judged: 11 known leaks were not found as often
                           000000000001 1 DRAM 64 Model.load: %s#fails did not complete
                           000000000002 1 DRAM 64 Model.load: %s#aborts did not complete
                           000000000003 1 DRAM 64 Model.load: %s#isDisabled did not complete
                           000000000004 1 DRAM 64 Model.load: %s#timesOut did not complete
                           000000000006 1 DRAM 64 Model.load: %s#repeated[2] did not complete
                           000000000007 1 DRAM 64 Model.load: %s#repeated[3] did not complete
                           000000000008 1 DRAM 64 Model.load: %s$DisabledTestCase#passes did not complete
                           000000000009 1 DRAM 64 Model.load: the class of dev.example.RemovedTest#passes cannot be loaded; \
                        remove this line if it was removed or renamed
                           00000000000b 1 DRAM 64 Model.load: %s$EachTestTestCase#isDisabledToo did not complete
                           00000000000c 1 DRAM 64 Model.load: dev.meshguard.junit.WholeRunTests$BeforeAllTestCase#passes \
                        did not complete
                           00000000000d 1 DRAM 64 Model.load: %s#fails did not complete""".replaceFirst("%s", file().toString())
                        .replace("%s", SomeIncompleteTestCase.class.getName()));
    }

    @ParameterizedTest
    @ValueSource(classes = {DynamicSharedTestCase.class, InvocationsSharedTestCase.class, NestedSharedTestCase.class})
    void aClassIsJudgedOnlyIfAllItsTestsCompleted(Class<?> shared) throws IOException {
        known(nameOf(shared, ""));

        JupiterRun.run(shared, inFindings(STRICT));

        assertThat(judged(inFindings(STRICT)).outcome()).isEqualTo(Outcome.EXPECTED_ONLY);
    }

    @Test
    void aClassIsJudgedOnlyIfNoFilterExcludedATest() throws IOException {
        known(nameOf(SharedTestCase.class, ""));

        RunAssert.assertThat(JupiterRun.runTest(SharedTestCase.class, "passes", parameters(STRICT)))
                .hasNoFailedClass();
        RunAssert.assertThat(JupiterRun.run(SharedTestCase.class, parameters(STRICT)))
                .hasFailedContainer()
                .withTextContaining("1 of 1 known leak is gone or smaller")
                .withFirstFrame("baseline.file(" + file() + ":3)");
    }

    /** The run of one test, for example from an IDE, may have the name that the build gives to each run. */
    @ParameterizedTest
    @ValueSource(strings = {STRICT, "shrink"})
    void aLeakOfNoKnownTestIsNotJudged(String update) throws IOException {
        known("");

        JupiterRun.runTest(SharedTestCase.class, "passesToo", inFindings(update));

        assertThat(judged(inFindings(update)))
                .returns(Outcome.EXPECTED_ONLY, RunVerifier::outcome)
                .returns("""
                        Not judged: 1 known leak was not found as often
                           000000000000 1 DRAM 64 Model.load: no test of it is known; remove the entry if it is fixed""", RunVerifier::text);
        assertThat(file()).content().contains("000000000000");
    }

    @ParameterizedTest
    @ValueSource(classes = {FailingFactoryTestCase.class, FailingFactoryEachTestTestCase.class})
    void aFactoryCompletesOnlyIfItsDynamicTestsDo(Class<?> factory) throws IOException {
        known(nameOf(factory, "#factory"), nameOf(factory, "#factory [passes]"));

        JupiterRun.run(factory, inFindings(STRICT));

        assertThat(judged(inFindings(STRICT)).text())
                .contains("1 of 2 known leaks is gone or smaller:\n   000000000001 ")
                .endsWith("   000000000000 1 DRAM 64 Model.load: " + nameOf(factory, "#factory") + " did not complete");
    }

    @TrackAllocations
    static class FailingFactoryTestCase {
        @TestFactory
        Stream<DynamicTest> factory(MeshDevice mesh) {
            return Stream.of(
                    DynamicTest.dynamicTest("passes", () -> {}),
                    DynamicTest.dynamicTest("fails", () -> Assertions.fail("before it leaks")));
        }
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS, accounting = Accounting.EACH_TEST)
    static class FailingFactoryEachTestTestCase extends FailingFactoryTestCase {}

    @Test
    void aTestThatItsClassHasNoMoreIsGone() throws IOException {
        known(
                nameOf(RenamedTestCase.class, "#oldName[1]"),
                nameOf(RenamedTestCase.class, "#noTestAnyMore [dynamic]"),
                nameOf(RenamedTestCase.class, "#isDisabled"),
                nameOf(RenamedTestCase.class, ""));
        JupiterRun.run(RenamedTestCase.class, inFindings("shrink"));

        assertThat(judged(inFindings("shrink")).text())
                .isEqualTo("""
                Baseline %s: 2 of 4 known leaks are gone or smaller, and taken out of it:
                   000000000000 1 DRAM 64 Model.load: there is no test %s#oldName[1] any more
                   000000000001 1 DRAM 64 Model.load: there is no test %s#noTestAnyMore [dynamic] any more
                Not judged: 2 known leaks were not found as often
                   000000000002 1 DRAM 64 Model.load: %s#isDisabled did not complete
                   000000000003 1 DRAM 64 Model.load: %s did not complete""".replaceFirst("%s", file().toString()).replace("%s", RenamedTestCase.class.getName()));

        assertThat(Files.readAllLines(file()))
                .filteredOn(line -> line.startsWith("0"))
                .hasSize(2);
    }

    @TrackAllocations
    static class RenamedTestCase {
        @Test
        void newName(MeshDevice mesh) {
            noTestAnyMore();
        }

        private void noTestAnyMore() {}

        @Test
        @Disabled("for now")
        void isDisabled(MeshDevice mesh) {}
    }

    @Test
    void testsWithOneNameAreJudgedOnlyIfEachCompleted() throws IOException {
        known(nameOf(OverloadedTestCase.class, "#passes"));

        RunAssert.assertThat(JupiterRun.run(OverloadedTestCase.class, parameters(STRICT)))
                .hasNoFailedClass();
        JupiterRun.run(OverloadedTestCase.class, inFindings(STRICT));
        assertThat(judged(inFindings(STRICT)).outcome()).isEqualTo(Outcome.EXPECTED_ONLY);
    }

    @TrackAllocations
    static class OverloadedTestCase {

        @Test
        void passes(MeshDevice mesh) {}

        @Test
        @Disabled("it leaks")
        void passes(MeshDevice mesh, TestInfo unused) {}
    }

    @Test
    void aTestThatCompletesInARerunIsJudged() throws IOException {
        known(nameOf(RerunTestCase.class, "#failsFirst"));
        RerunTestCase.isFirst = true;
        JupiterRun.run(RerunTestCase.class, inFindings(STRICT));
        RerunTestCase.isFirst = false;
        JupiterRun.run(RerunTestCase.class, inFindings(STRICT));

        assertThat(judged(inFindings(STRICT)).outcome()).isEqualTo(Outcome.STALE_EXPECTATION);
    }

    @Test
    void aRunThatDoesNotFailPrintsWhatIsGoneAndWhatIsNotJudged() throws IOException {
        known(nameOf(SomeIncompleteTestCase.class, "#passes"), nameOf(SomeIncompleteTestCase.class, "#isDisabled"));

        assertThat(LaunchedRun.launcher()
                        .run(parameters("none"), SomeIncompleteTestCase.class)
                        .printed())
                .singleElement()
                .asString()
                .contains(
                        "   whole run         Baseline " + file() + ": 1 of 2 known leaks is gone or smaller:\n",
                        "                     Not judged: 1 known leak was not found as often\n");
    }

    static class SomeIncompleteTestCase extends TypicalTestCase.Incomplete {
        @Test
        void timesOut(MeshDevice mesh) {
            Assertions.assertTimeoutPreemptively(Duration.ofMillis(1), () -> new CountDownLatch(1).await());
        }

        @ParameterizedTest
        @ValueSource(ints = {1, 2})
        void repeated(int number, MeshDevice mesh) {
            Assertions.assertEquals(1, number);
        }

        @Nested
        @Disabled("for now")
        class DisabledTestCase {
            @Test
            void passes(MeshDevice mesh) {}
        }

        @Nested
        @TrackAllocations(lifetime = TrackingLifetime.CLASS, accounting = Accounting.EACH_TEST)
        class EachTestTestCase {
            @Test
            void passes(MeshDevice mesh) {}

            @Test
            @Disabled("for now")
            void isDisabledToo(MeshDevice mesh) {}
        }
    }

    @TrackAllocations
    static class BeforeAllTestCase {
        @BeforeAll
        static void fails() {
            Assertions.fail("before any test");
        }

        @Test
        void passes(MeshDevice mesh) {}
    }

    @TrackAllocations
    static class RerunTestCase {
        private static boolean isFirst;

        @Test
        void failsFirst(MeshDevice mesh) {
            Assertions.assertFalse(isFirst);
        }
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS)
    static class SharedTestCase {
        @Test
        void passes(MeshDevice mesh) {}

        @Test
        void passesToo(MeshDevice mesh) {}

        @Nested
        class InnerTestCase {
            @Test
            void passes(MeshDevice mesh) {}
        }
    }

    static class DynamicSharedTestCase extends SharedTestCase {
        @TestFactory
        Stream<DynamicTest> factory(MeshDevice mesh) {
            return Stream.of(DynamicTest.dynamicTest("fails", () -> Assertions.fail("before it leaks")));
        }
    }

    static class InvocationsSharedTestCase extends SharedTestCase {
        @ParameterizedTest
        @ValueSource(ints = {1, 2})
        void firstFails(int number, MeshDevice mesh) {
            Assertions.assertEquals(2, number);
        }
    }

    static class NestedSharedTestCase extends SharedTestCase {
        @Nested
        @Disabled("for now")
        class DisabledTestCase {
            @Test
            void passes(MeshDevice mesh) {}
        }
    }

    // Entries of annotations, fields and files

    private static final Map<String, String> WHOLE_RUN = Map.of("meshguard.run", "7");

    @Test
    void anAnnotationThatMatchedInNoTestFailsTheWholeRun() {
        RunAssert.assertThat(JupiterRun.run(NeverMatchedTestCase.class, WHOLE_RUN))
                .hasFailedContainer()
                .with(AssertionFailedError.class, """
                STALE  3 of 5 expectations matched nothing in the whole run      [1 JVM]
                   label "fabric", because "telemetry" at @ExpectBuffers on WholeRunTests$NeverMatchedTestCase#keeps
                   label "fabric", because "telemetry" at @ExpectBuffers on WholeRunTests$NeverMatchedTestCase
                   label "fabric", exactly 8 buffers, because "telemetry" at MeshGuardExtension.expecting in WholeRunTests$NeverMatchedTestCase
                Remove entries that match nothing any more; an unneeded entry hides the next leak.""")
                .withFirstFrameIn("NeverMatchedTestCase.keeps");
    }

    @Test
    void aRunWithoutANameIsNotJudged() {
        RunAssert.assertThat(JupiterRun.run(NeverMatchedTestCase.class)).hasOnlySucceeded(1);
    }

    @Test
    void aPromiseOnAClassIsJudgedOverTheWholeRun() {
        RunAssert.assertThat(JupiterRun.run(PromiseOnAClassTestCase.class)).hasOnlySucceeded(2);
        RunAssert.assertThat(JupiterRun.run(PromiseOnAClassTestCase.class, WHOLE_RUN))
                .hasFailedContainer()
                .withTextContaining("STALE  1 of 1 expectation matched nothing");
    }

    @Test
    void whatATestThatDidNotEndWellWouldHaveLeftIsNotKnown() {
        for (String test : new String[] {"fails", "aborts", "isDisabled"}) {
            RunAssert.assertThat(JupiterRun.runTest(NotEndedTestCase.class, test, WHOLE_RUN))
                    .hasNoFailedClass();
        }
        RunAssert.assertThat(JupiterRun.runTest(NotEndedTestCase.class, "passes", WHOLE_RUN))
                .hasFailedContainer()
                .withTextContaining("STALE");
    }

    @Test
    void oneDynamicTestThatFailedIsEnough() {
        RunAssert.assertThat(JupiterRun.run(FailingPromiseTestCase.class, WHOLE_RUN))
                .hasNoFailedClass();
    }

    @Test
    void anEntryThatSeveralClassesInheritIsNeededIfOneNeedsIt() {
        RunAssert.assertThat(JupiterRun.run(WithWeightsTestCase.class, WHOLE_RUN))
                .hasOnlySucceeded(1);
        RunAssert.assertThat(JupiterRun.runTogether(WHOLE_RUN, WithWeightsTestCase.class, WithoutWeightsTestCase.class))
                .hasOnlySucceeded(2);
    }

    @Test
    void whatIsNotCheckedIsNotJudged() {
        Map<String, String> unchecked = new HashMap<>(WHOLE_RUN);
        unchecked.put("meshguard.check", "none");

        RunAssert.assertThat(JupiterRun.run(NeverMatchedTestCase.class, unchecked))
                .hasOnlySucceeded(1);
    }

    @Test
    void filesOfSeveralJvmsAgreeOnAnnotations(@TempDir Path folder) throws IOException {
        Map<String, String> findings = new HashMap<>(WHOLE_RUN);
        findings.put("meshguard.findings", folder.toString());
        RunAssert.assertThat(JupiterRun.run(WithoutWeightsTestCase.class, findings))
                .hasOnlySucceeded(1)
                .hasPublishedTextContaining(
                        "'The run 7 is not judged yet: 2 expectations wait for RunVerifier over " + folder);
        RunAssert.assertThat(JupiterRun.run(NotEndedTestCase.class, findings)).hasNoFailedClass();

        Assertions.assertEquals("""
                STALE  2 of 3 expectations matched nothing in the whole run      [2 findings files]
                   label "weights", because "of all that implement it" at @ExpectBuffers on WholeRunTests$WeightsContract
                   label "cache", because "of all that have it" at @ExpectBuffers on WholeRunTests$KeepsCaches
                Remove entries that match nothing any more; an unneeded entry hides the next leak.
                Not judged: 1 expectation matched nothing, but a test with it failed, was aborted or is disabled
                   label "weights", because "shared" at @ExpectBuffers on WholeRunTests$NotEndedTestCase""", judgedText(findings));

        RunAssert.assertThat(JupiterRun.run(WithWeightsTestCase.class, findings))
                .hasOnlySucceeded(1);

        Assertions.assertEquals("""
                CLEAN  each of 2 expectations matched in the run, 1 not judged      [3 findings files]
                Not judged: 1 expectation matched nothing, but a test with it failed, was aborted or is disabled
                   label "weights", because "shared" at @ExpectBuffers on WholeRunTests$NotEndedTestCase""", judgedText(findings));
    }

    private static String judgedText(Map<String, String> parameters) throws IOException {
        return judged(parameters).text();
    }

    @ExpectBuffers(label = "weights", because = "of the class, too")
    @ExpectBuffers(label = "fabric", because = "telemetry")
    static class NeverMatchedTestCase {
        @RegisterExtension
        static final MeshGuardExtension guard = MeshGuardExtension.builder()
                .expecting(
                        Expectation.because("telemetry").label("fabric").exactly(8),
                        Expectation.because("of the field, too").label("cache"))
                .build();

        @Test
        @ExpectBuffers(label = "fabric", because = "telemetry")
        void keeps(MeshDevice mesh) {
            Buffers.take(mesh, "weights");
            Buffers.take(mesh, "cache");
        }
    }

    @TrackAllocations
    @ExpectBuffers(label = "weights", exactly = 8, because = "shared")
    static class PromiseOnAClassTestCase {
        @Test
        void takesNothing(MeshDevice mesh) {}

        @Nested
        class InnerTestCase {
            @Test
            void takesNothingEither(MeshDevice mesh) {}
        }
    }

    @ExpectBuffers(label = "weights", because = "shared")
    static class NotEndedTestCase extends TypicalTestCase.Incomplete {}

    @ExpectBuffers(label = "weights", because = "shared")
    static class FailingPromiseTestCase extends FailingFactoryTestCase {}

    @ExpectedBuffersFile("no/such/file.txt")
    static class MissingFileTestCase extends TypicalTestCase.Clean {}

    @ExpectBuffers(label = "cache", because = "of all that have it")
    @Retention(RetentionPolicy.RUNTIME)
    @interface KeepsCaches {}

    @TrackAllocations
    @ExpectBuffers(label = "weights", because = "of all that implement it")
    interface WeightsContract {}

    @KeepsCaches
    static class WithWeightsTestCase implements WeightsContract {
        @Test
        void keeps(MeshDevice mesh) {
            Buffers.take(mesh, "weights");
            Buffers.take(mesh, "cache");
        }

        @Test
        @Disabled("for now")
        void isDisabled(MeshDevice mesh) {}
    }

    @KeepsCaches
    static class WithoutWeightsTestCase implements WeightsContract {
        @Test
        void keepsNothing(MeshDevice mesh) {}
    }

    // The files of a run: expected buffers and known leaks

    @Test
    void aFailureNamesFileAndLine() throws IOException {
        RunAssert.assertThat(runExpecting("\nDRAM label \"weights\" count exactly 7 because \"shared\"\n"))
                .hasOnlyLeakOf("keeps(MeshDevice)")
                .withTextContaining("(DRAM, label \"weights\", exactly 7 buffers, because \"shared\" at "
                        + folder.resolve("expected.txt") + ":2); 1 more than that allows");
    }

    @Test
    void aFileWithAWrongLineFailsEachTest() throws IOException {
        RunAssert.assertThat(runExpecting("DRAM because\n"))
                .hasSingleTest()
                .whichFailed()
                .with(
                        ExtensionConfigurationException.class,
                        folder.resolve("expected.txt") + ":1:13: the line ends where the reason has to stand.");
    }

    @Test
    void aFileThatAClassNamesHasToBeThere() {
        RunAssert.assertThat(JupiterRun.run(MissingFileTestCase.class))
                .hasSingleTest()
                .whichFailed()
                .with(
                        ExtensionConfigurationException.class,
                        "@ExpectedBuffersFile on WholeRunTests$MissingFileTestCase = no/such/file.txt is rejected. There is no such"
                                + " file: " + Path.of("no/such/file.txt").toAbsolutePath() + ".");
    }

    @Test
    void reportsAKnownLeakWithoutFailing() throws IOException {
        RunAssert.assertThat(runKnowing(StandardCharsets.UTF_8, TypicalTestCase.Leak.class))
                .hasTest("leaks")
                .whichSucceededWithPublishedTextContaining(
                        "   note  fingerprint ",
                        " · known\n",
                        "note    every leak is in the baseline, so the test does not fail");
    }

    @Test
    void aNewLeakFailsBesideAKnownOne() throws IOException {
        RunAssert.assertThat(runKnowing(StandardCharsets.UTF_8, TypicalTestCase.Weights.class))
                .hasOnlyLeakOf("keeps(MeshDevice)")
                .withTextContaining(" · new since the baseline\n");
    }

    @Test
    void namesABaselineThatIsNotInUtf8() throws IOException {
        RunAssert.assertThat(runKnowing(StandardCharsets.UTF_16, TypicalTestCase.Leak.class))
                .hasSingleTest()
                .whichFailed()
                .with(
                        ExtensionConfigurationException.class,
                        folder.resolve("known.txt") + " is not in UTF-8: save it as UTF-8.");
    }

    /** Runs a test that keeps weights with a file of expected buffers. */
    private RunAssert.Results runExpecting(String lines) throws IOException {
        Path file = write("expected.txt", lines);
        return JupiterRun.run(TypicalTestCase.Weights.class, Map.of("meshguard.expected-buffers", file.toString()));
    }

    private RunAssert.Results runKnowing(Charset encoding, Class<?> testCase) throws IOException {
        Path known = Files.writeString(folder.resolve("known.txt"), TypicalTestCase.KNOWN_LEAK, encoding);
        return JupiterRun.run(testCase, Map.of("meshguard.baseline", known.toString()));
    }

    private Path write(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text);
    }
}
