package dev.meshguard.junit.internal.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.meshguard.event.BufferType;
import dev.meshguard.junit.RunVerifier;
import dev.meshguard.junit.internal.OutputSettings;
import dev.meshguard.junit.internal.RunSettings;
import dev.meshguard.junit.internal.summary.CheckOutcome;
import dev.meshguard.junit.internal.summary.CheckSubject;
import dev.meshguard.junit.internal.summary.FinishedCheck;
import dev.meshguard.junit.testkit.Survivors;
import dev.meshguard.report.findings.CheckRecord;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Outcome;
import dev.meshguard.verdict.expectation.Expectation;
import dev.meshguard.verdict.expectation.ExpectedBuffers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.opentest4j.AssertionFailedError;

/** The results of a whole run, in one JVM or in several. */
class SharedRunStateTests {

    private static final String HEADER = """
            # Leaks that are known: fingerprint, most buffers in one check, type, size class, place. Below: the tests that had it.
            # Change with -Dmeshguard.baseline.update=shrink (fixed ones go) or =accept (new ones come).
            """;
    private static final Instant BEGAN = Instant.parse("2026-03-01T10:15:30Z");
    private static final String EIGHT_WEIGHTS = "148dae9b40af 8 DRAM 64 label weights\n";
    private static final String TEST = "dev.example.KvCacheTest#decode";
    private static final String OF_TEST = "   " + TEST + "\n";
    private static final String TWO_WEIGHTS = "148dae9b40af 2 DRAM 64 label weights\n";

    @TempDir
    private Path folder;

    private final Map<String, String> parameters = new HashMap<>();
    private final Map<String, String> environment = new HashMap<>();

    // Expectations

    @Test
    void aRunInWhichAnEntryNeverMatchedFails() throws IOException {
        Path file = expecting("label weights because \"shared\"\nlabel cache because \"kept\"\n");
        parameters.put("meshguard.run", "7");
        SharedRunState state = begin();
        check(state, "weights");
        check(state, "weights");

        assertThatExceptionOfType(AssertionFailedError.class)
                .isThrownBy(state::close)
                .withMessage("""
                        STALE  1 of 2 expectations matched nothing in the whole run      [1 JVM]
                           label "cache", because "kept" at %s:2
                        Remove entries that match nothing any more; an unneeded entry hides the next leak.""".replace("%s", file.toString()))
                .satisfies(failure -> assertThat(failure.getStackTrace())
                        .containsExactly(new StackTraceElement("expected-buffers", "file", file.toString(), 2)));
    }

    @Test
    void anEntryOfAnAnnotationOrAFieldThatNeverMatchedLeadsToItsClassOrMethod() throws IOException {
        assertThat(placeOf("@ExpectBuffers on dev.example.KvCacheTest$Prefill#decode"))
                .isEqualTo(new StackTraceElement("dev.example.KvCacheTest$Prefill", "decode", "KvCacheTest.java", -1));
        assertThat(placeOf("@ExpectBuffers on dev.example.KvCacheTest#decodes the cache"))
                .isEqualTo(
                        new StackTraceElement("dev.example.KvCacheTest", "decodes the cache", "KvCacheTest.java", -1));
        assertThat(placeOf("@ExpectBuffers on KvCacheTest"))
                .isEqualTo(new StackTraceElement("KvCacheTest", "<class>", "KvCacheTest.java", -1));
        assertThat(placeOf("MeshGuardExtension.expecting in dev.example.KvCacheTest"))
                .isEqualTo(new StackTraceElement("dev.example.KvCacheTest", "<class>", "KvCacheTest.java", -1));
    }

    private StackTraceElement placeOf(String location) throws IOException {
        parameters.put("meshguard.run", "7");
        SharedRunState state = begin();
        state.expect(ExpectedBuffers.of(
                Expectation.because("shared").label("weights").locatedAt(location)));
        AssertionFailedError failure = catchThrowableOfType(AssertionFailedError.class, state::close);
        return failure.getStackTrace()[0];
    }

    @Test
    void anEntryThatIsOverItsBoundDidMatch() throws IOException {
        expecting("label weights count exactly 0 because \"none\"\n");
        parameters.put("meshguard.run", "7");
        SharedRunState state = begin();
        check(state, "weights");

        state.close();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            expected-buffers=FOLDER/none    | meshguard.expected-buffers = FOLDER/none is rejected. There is no such file: FOLDER/none.
            baseline=FOLDER/none            | meshguard.baseline = FOLDER/none is rejected. There is no such file: FOLDER/none. Make it with -Dmeshguard.baseline.update=accept, not where CI is set, and check it in.
            run=7;findings=FOLDER/occupied  | meshguard.findings = FOLDER/occupied is rejected. With meshguard.run this JVM writes its findings into that folder, which failed: java.nio.file.FileAlreadyExistsException: FOLDER/occupied. Name a folder that can be made and written to, or leave out meshguard.run.
            """)
    void rejectsAFileThatIsMissingAndAFolderThatCannotBeWrittenTo(String given, String message) throws IOException {
        Files.writeString(folder.resolve("occupied"), "");
        for (String parameter : inFolder(given).split(";", -1)) {
            String[] parts = parameter.split("=", 2);
            parameters.put("meshguard." + parts[0], parts[1]);
        }

        assertThatIllegalArgumentException().isThrownBy(this::begin).withMessage(inFolder(message));
    }

    private String inFolder(String text) {
        return text.replace("FOLDER", folder.toString());
    }

    // Several JVMs

    @Test
    void aJvmOfSeveralSaysWhatItLeavesToTheVerifier() throws IOException {
        expecting("label weights because \"shared\"\nlabel cache because \"kept\"\n");
        baseline(EIGHT_WEIGHTS);
        inFindings("7");
        SharedRunState state = begin();
        check(state, "cache");

        assertThat(state.unjudged())
                .contains("The run 7 is not judged yet: 1 expectation and 1 known leak wait for RunVerifier over "
                        + folder.resolve("findings") + " (docs/baseline.md)");

        check(state, "weights");

        assertThat(state.unjudged())
                .contains("The run 7 is not judged yet: 1 known leak waits for RunVerifier over "
                        + folder.resolve("findings") + " (docs/baseline.md)");

        state.add(leak("weights", 8), Optional::empty);

        assertThat(state.unjudged()).isEmpty();
    }

    @Test
    void aJvmThatWasKilledMakesTheRunInconclusive() throws IOException {
        expecting("label weights because \"shared\"\n");
        inFindings("7");
        SharedRunState whole = begin();
        check(whole, "weights");
        whole.close();
        SharedRunState killed = begin();
        check(killed, "weights");

        RunVerifier judged = judge();

        assertThat(judged.outcome()).isEqualTo(Outcome.INCONCLUSIVE);
        assertThat(judged.isGood()).isFalse();
        assertThat(RunResult.of(settings()).failure().getStackTrace())
                .containsExactly(
                        new StackTraceElement("findings", "file", files().get(0).toString(), -1));
        assertThat(judged.text()).isEqualTo("""
                INCONCLUSIVE  1 of 2 findings files has no end: a JVM was killed, could not write, or ended without closing its tests
                   %s
                Whether an expectation matched nothing, or a known leak is gone, cannot be known. Run the tests again.""".replace("%s", files().get(0).toString()));
    }

    @Test
    void aFileThatEndsInTheMiddleOfAnyOfItsLinesMakesTheRunInconclusive() throws IOException {
        expecting("label weights because \"shared\"\n");
        inFindings("7");
        begin().close();
        Path file = files().get(0);
        String whole = Files.readString(file);

        for (int length = 0; length < whole.length(); length++) {
            Files.writeString(file, whole.substring(0, length));

            assertThat(judge().outcome()).isEqualTo(Outcome.INCONCLUSIVE);
        }
    }

    @Test
    void aDamagedLineIsAnErrorThatNamesIt() throws IOException {
        inFindings("7");
        begin().close();
        Path file = files().get(0);
        Files.writeString(file, Files.readString(file).replace("\"kind\":\"end\"", "\"kind\":\"weather\""));

        assertThatIOException()
                .isThrownBy(this::judge)
                .withMessage("Cannot read line 2 of " + file + ", because kind \"weather\" is not known here. Run the"
                        + " tests again that wrote it, with this version of MeshGuard");
    }

    @Test
    void filesOfOtherRunsAreLeftAlone() throws IOException {
        expecting("label weights because \"shared\"\n");
        inFindings("6");
        SharedRunState killedYesterday = begin();
        check(killedYesterday, "weights");
        inFindings("7");
        begin().close();

        RunVerifier judged = judge();

        assertThat(judged.outcome()).isEqualTo(Outcome.STALE_EXPECTATION);
        assertThat(files()).hasSize(2);
    }

    @Test
    void aRunThatIsNotNamedCannotBeJudged() {
        assertThatIllegalArgumentException()
                .isThrownBy(this::judge)
                .withMessage(
                        "Name the run with meshguard.run and the folder of its findings with meshguard.findings, as for the"
                                + " tests.");
    }

    @Test
    void theErrorOfARunWithoutFilesLeadsToTheirFolder() throws IOException {
        inFindings("7");
        Path findings = folder.resolve("findings");

        assertThat(RunResult.of(settings()).failure())
                .hasMessage(
                        "INCONCLUSIVE  " + findings + " has no findings file of run 7: no test used MeshGuard, or the"
                                + " tests were not given the same meshguard.findings and meshguard.run")
                .satisfies(failure -> assertThat(failure.getStackTrace())
                        .containsExactly(new StackTraceElement("findings", "file", findings.toString(), -1)));
    }

    // Baseline

    @Test
    void newLeaksAreTakenInOnRequest() throws IOException {
        Path file = folder.resolve("known.txt");
        parameters.put("meshguard.baseline", file.toString());
        parameters.put("meshguard.baseline.update", "accept");
        SharedRunState state = begin();
        LeakVerdict verdict = leak("weights", 8);
        state.add(verdict, Optional::empty);
        state.add(leak("weights", 2), Optional::empty);

        assertThat(state.covers(verdict)).isTrue();
        state.close();

        assertThat(file).hasContent(HEADER + EIGHT_WEIGHTS);
    }

    @Test
    void aBaselineThatCannotBeWrittenIsNamedWithItsParameter() throws IOException {
        Path occupied = Files.writeString(folder.resolve("occupied"), "");
        Path file = occupied.resolve("known.txt");
        parameters.put("meshguard.baseline", file.toString());
        parameters.put("meshguard.baseline.update", "accept");
        SharedRunState state = begin();
        state.add(leak("weights", 8), Optional::empty);

        assertThatIOException()
                .isThrownBy(state::close)
                .withMessageStartingWith(
                        "The baseline could not be written to " + file + " (meshguard.baseline): java.nio.file.");
    }

    @ParameterizedTest
    @ValueSource(strings = {"accept", "shrink"})
    void nothingIsChangedWhereCiIsSet(String update) throws IOException {
        Path file = baseline(EIGHT_WEIGHTS + OF_TEST);
        parameters.put("meshguard.run", "7");
        parameters.put("meshguard.baseline.update", update);
        environment.put("CI", "true");
        SharedRunState state = begin();
        LeakVerdict cache = leak("cache", 8);
        state.add(cache, Optional::empty);
        complete(state);

        assertThat(state.covers(cache)).isFalse();
        state.close();

        assertThat(file).hasContent(HEADER + EIGHT_WEIGHTS + OF_TEST);
    }

    @Test
    void anErrorOfThePublicationAndOneOfTheRunAreBothReported() throws IOException {
        expecting("label weights because \"shared\"\n");
        parameters.put("meshguard.run", "7");
        IllegalStateException notPublished = new IllegalStateException("the listener is gone");
        SharedRunState state = new SharedRunState(settings(), OutputSettings.of(this::parameter), BEGAN, pairs -> {
            throw notPublished;
        });
        state.summary()
                .add(new FinishedCheck(
                        Optional.of(CheckSubject.TEST),
                        "one",
                        CheckOutcome.PASSED,
                        Optional.empty(),
                        List.of(),
                        Optional.empty(),
                        Optional.empty()));

        assertThatExceptionOfType(AssertionFailedError.class)
                .isThrownBy(state::close)
                .satisfies(error -> assertThat(error.getSuppressed()).containsExactly(notPublished));
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "shrink"})
    void whatIsGoneIsReportedWithoutFailingAndTakenOutOnRequest(String update) throws IOException {
        String fixed = EIGHT_WEIGHTS + OF_TEST + "8c998e000000 1 L1 64 Model.load\n" + OF_TEST;
        Path file = baseline(fixed);
        inFindings("7");
        parameters.put("meshguard.baseline.update", update);
        SharedRunState one = begin();
        SharedRunState other = begin();
        one.add(leak("weights", 1), () -> Optional.of(TEST));
        other.add(leak("weights", 2), () -> Optional.of(TEST));
        complete(one);
        one.close();
        other.close();

        RunVerifier judged = judge();

        boolean isShrunk = update.equals("shrink");
        assertThat(judged.outcome()).isEqualTo(Outcome.EXPECTED_ONLY);
        assertThat(judged.text())
                .isEqualTo("Baseline " + file + ": 2 of 2 known leaks are gone or smaller"
                        + (isShrunk ? ", and taken out of it" : "") + """
                        :
                           148dae9b40af 8 DRAM 64 label weights (now at most 2)
                           8c998e000000 1 L1 64 Model.load"""
                        + (isShrunk ? "" : "\nTake it out with -Dmeshguard.baseline.update=shrink."));
        assertThat(file).hasContent(HEADER + (isShrunk ? TWO_WEIGHTS + OF_TEST : fixed));
    }

    @Test
    void nothingIsTakenOutAfterARunOfWhichAPartIsMissing() throws IOException {
        Path file = baseline(EIGHT_WEIGHTS + OF_TEST);
        inFindings("7");
        parameters.put("meshguard.baseline.update", "shrink");
        complete(begin());

        assertThat(judge().outcome()).isEqualTo(Outcome.INCONCLUSIVE);
        assertThat(file).hasContent(HEADER + EIGHT_WEIGHTS + OF_TEST);
    }

    private Path expecting(String lines) throws IOException {
        Path file = Files.writeString(folder.resolve("expected.txt"), lines);
        parameters.put("meshguard.expected-buffers", file.toString());
        return file;
    }

    private Path baseline(String lines) throws IOException {
        Path file = Files.writeString(folder.resolve("known.txt"), HEADER + lines);
        parameters.put("meshguard.baseline", file.toString());
        return file;
    }

    private void inFindings(String run) {
        parameters.put("meshguard.findings", folder.resolve("findings").toString());
        parameters.put("meshguard.run", run);
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> files = Files.list(folder.resolve("findings"))) {
            return files.sorted().toList();
        }
    }

    private Optional<String> parameter(String name) {
        return Optional.ofNullable(parameters.get(name));
    }

    private RunSettings settings() {
        return RunSettings.of(this::parameter, environment);
    }

    private SharedRunState begin() {
        return new SharedRunState(settings(), OutputSettings.of(this::parameter), BEGAN, pairs -> {});
    }

    private RunVerifier judge() throws IOException {
        return RunVerifier.judge(this::parameter, environment);
    }

    private static void complete(SharedRunState state) {
        state.checked(TEST, true);
        state.findings()
                .ifPresent(file -> file.add(
                        new CheckRecord(TEST, "TEST", Optional.empty(), Outcome.LEAKED, "KNOWN", true, 0, List.of())));
    }

    private static void check(SharedRunState state, String label) {
        state.add(
                LeakCheck.create()
                        .expecting(state.expected())
                        .examine(leak(label, 1).history()),
                Optional::empty);
    }

    private static LeakVerdict leak(String label, int buffers) {
        return LeakCheck.create().examine(Survivors.on(buffers, BufferType.DRAM, 64, label));
    }
}
