package dev.meshguard.junit;

import static dev.meshguard.junit.testkit.JupiterRun.run;
import static dev.meshguard.junit.testkit.JupiterRun.runTest;
import static dev.meshguard.junit.testkit.JupiterRun.runTogether;
import static dev.meshguard.junit.testkit.RunAssert.assertThat;

import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.junit.testkit.RunAssert;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.verdict.expectation.Expectation;
import java.io.IOException;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.opentest4j.AssertionFailedError;

/** Unused annotations are reported at the end of a whole run, like unused lines of its files. */
class NeededEntriesTests {

    private static final Map<String, String> WHOLE_RUN = Map.of("meshguard.run", "7");

    @Test
    void anAnnotationThatMatchedInNoTestFailsTheWholeRun() {
        assertThat(run(NeverMatchedTestCase.class, WHOLE_RUN))
                .hasFailedContainer()
                .with(AssertionFailedError.class, """
                STALE  3 of 5 expectations matched nothing in the whole run      [1 JVM]
                   label "fabric", because "telemetry" at @ExpectBuffers on NeededEntriesTests$NeverMatchedTestCase#keeps
                   label "fabric", because "telemetry" at @ExpectBuffers on NeededEntriesTests$NeverMatchedTestCase
                   label "fabric", exactly 8 buffers, because "telemetry" at MeshGuardExtension.expecting in NeededEntriesTests$NeverMatchedTestCase
                Remove entries that match nothing any more; an unneeded entry hides the next leak.""")
                .withFirstFrameIn("NeverMatchedTestCase.keeps");
    }

    @Test
    void aRunWithoutANameIsNotJudged() {
        assertThat(run(NeverMatchedTestCase.class)).hasOnlySucceeded(1);
    }

    @Test
    void aPromiseOnAClassIsJudgedOverTheWholeRun() {
        assertThat(run(PromiseOnAClassTestCase.class)).hasOnlySucceeded(2);
        assertThat(run(PromiseOnAClassTestCase.class, WHOLE_RUN))
                .hasFailedContainer()
                .withTextContaining("STALE  1 of 1 expectation matched nothing");
    }

    @Test
    void whatATestThatDidNotEndWellWouldHaveLeftIsNotKnown() {
        for (String test : new String[] {"fails", "aborts", "isDisabled"}) {
            assertThat(runTest(NotEndedTestCase.class, test, WHOLE_RUN)).hasNoFailedClass();
        }
        assertThat(runTest(NotEndedTestCase.class, "passes", WHOLE_RUN))
                .hasFailedContainer()
                .withTextContaining("STALE");
    }

    @Test
    void oneDynamicTestThatFailedIsEnough() {
        assertThat(run(FailingFactoryTestCase.class, WHOLE_RUN)).hasNoFailedClass();
    }

    @Test
    void anEntryThatSeveralClassesInheritIsNeededIfOneNeedsIt() {
        assertThat(run(WithWeightsTestCase.class, WHOLE_RUN)).hasOnlySucceeded(1);
        assertThat(runTogether(WHOLE_RUN, WithWeightsTestCase.class, WithoutWeightsTestCase.class))
                .hasOnlySucceeded(2);
    }

    @Test
    void whatIsNotCheckedIsNotJudged() {
        Map<String, String> unchecked = new HashMap<>(WHOLE_RUN);
        unchecked.put("meshguard.check", "none");

        assertThat(run(NeverMatchedTestCase.class, unchecked)).hasOnlySucceeded(1);
    }

    @Test
    void filesOfSeveralJvmsAgreeOnAnnotations(@TempDir Path folder) throws IOException {
        Map<String, String> findings = new HashMap<>(WHOLE_RUN);
        findings.put("meshguard.findings", folder.toString());
        assertThat(run(WithoutWeightsTestCase.class, findings))
                .hasOnlySucceeded(1)
                .hasPublishedTextContaining(
                        "'The run 7 is not judged yet: 2 expectations wait for RunVerifier over " + folder);
        assertThat(run(NotEndedTestCase.class, findings)).hasNoFailedClass();

        Assertions.assertEquals("""
                STALE  2 of 3 expectations matched nothing in the whole run      [2 findings files]
                   label "weights", because "of all that implement it" at @ExpectBuffers on NeededEntriesTests$WeightsContract
                   label "cache", because "of all that have it" at @ExpectBuffers on NeededEntriesTests$KeepsCaches
                Remove entries that match nothing any more; an unneeded entry hides the next leak.
                Not judged: 1 expectation matched nothing, but a test with it failed, was aborted or is disabled
                   label "weights", because "shared" at @ExpectBuffers on NeededEntriesTests$NotEndedTestCase""", judged(findings));

        assertThat(run(WithWeightsTestCase.class, findings)).hasOnlySucceeded(1);

        Assertions.assertEquals("""
                CLEAN  each of 2 expectations matched in the run, 1 not judged      [3 findings files]
                Not judged: 1 expectation matched nothing, but a test with it failed, was aborted or is disabled
                   label "weights", because "shared" at @ExpectBuffers on NeededEntriesTests$NotEndedTestCase""", judged(findings));
    }

    private static String judged(Map<String, String> parameters) throws IOException {
        return RunVerifier.judge(name -> Optional.ofNullable(parameters.get(name)), Map.of())
                .text();
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

    @TrackAllocations
    static class FailingFactoryTestCase {
        @TestFactory
        @ExpectBuffers(label = "weights", because = "shared")
        Stream<DynamicTest> factory(MeshDevice mesh) {
            return Stream.of(DynamicTest.dynamicTest("fails", () -> Assertions.fail("before it allocates")));
        }
    }

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

    @TempDir
    private Path folder;

    @Test
    void aFailureNamesFileAndLine() throws IOException {
        assertThat(runExpecting("\nDRAM label \"weights\" count exactly 7 because \"shared\"\n"))
                .hasOnlyLeakOf("keeps(MeshDevice)")
                .withTextContaining("(DRAM, label \"weights\", exactly 7 buffers, because \"shared\" at "
                        + folder.resolve("expected.txt") + ":2); 1 more than that allows");
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
                        "@ExpectedBuffersFile on NeededEntriesTests$MissingFileTestCase = no/such/file.txt is rejected. There is no such"
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
    @ExpectedBuffersFile("no/such/file.txt")
    static class MissingFileTestCase {
        @Test
        void keeps(MeshDevice mesh) {}
    }
}
