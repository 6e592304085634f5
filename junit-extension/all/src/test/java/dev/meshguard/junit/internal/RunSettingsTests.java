package dev.meshguard.junit.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.meshguard.junit.internal.summary.OutputMode;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RunSettingsTests {

    private static RunSettings settings(Map<String, String> environment, String... parameters) {
        return RunSettings.of(given(parameters), environment);
    }

    private static OutputSettings outputSettings(String... parameters) {
        return OutputSettings.of(given(parameters));
    }

    private static Function<String, Optional<String>> given(String... parameters) {
        return name -> Arrays.stream(parameters)
                .filter(parameter -> parameter.startsWith(name + "="))
                .map(parameter -> parameter.substring(name.length() + 1))
                .findFirst();
    }

    @Test
    void asksForNothingUnlessItIsGiven() {
        assertThat(settings(Map.of()))
                .isEqualTo(new RunSettings(
                        Optional.empty(),
                        Optional.empty(),
                        BaselineUpdate.NONE,
                        Optional.empty(),
                        Optional.empty(),
                        new CiEnvironment(Optional.empty(), Optional.empty(), Optional.empty(), false)));
    }

    @Test
    void takesAnEmptyValueForNone() {
        assertThat(settings(Map.of(), "meshguard.expected-buffers= ", "meshguard.run="))
                .isEqualTo(settings(Map.of()));
    }

    @Test
    void readsEveryParameter() {
        assertThat(settings(
                        Map.of("CI", "true"),
                        "meshguard.expected-buffers=expected.txt",
                        "meshguard.baseline=known.txt",
                        "meshguard.baseline.update=shrink",
                        "meshguard.run=7",
                        "meshguard.findings=target/findings"))
                .isEqualTo(new RunSettings(
                        Optional.of(Path.of("expected.txt")),
                        Optional.of(Path.of("known.txt")),
                        BaselineUpdate.SHRINK,
                        Optional.of("7"),
                        Optional.of(Path.of("target/findings")),
                        new CiEnvironment(Optional.empty(), Optional.empty(), Optional.empty(), true)));
    }

    @Test
    void aRunIsJudgedByItsFindingsIfTheBuildNamesItOnly() {
        assertThat(settings(Map.of("GITHUB_RUN_ID", "7"), "meshguard.findings=target/findings")
                        .judgedFindings())
                .isEmpty();
        assertThat(settings(Map.of(), "meshguard.run=7").judgedFindings()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "GITHUB_RUN_ID, GITHUB_SHA, RUNNER_NAME",
        "CI_PIPELINE_ID, CI_COMMIT_SHA, CI_RUNNER_DESCRIPTION",
        "BUILD_BUILDID, BUILD_SOURCEVERSION, AGENT_NAME",
        "BUILDKITE_BUILD_ID, BUILDKITE_COMMIT, BUILDKITE_AGENT_NAME",
        "CIRCLE_WORKFLOW_ID, CIRCLE_SHA1, HOSTNAME",
        "BITBUCKET_PIPELINE_UUID, BITBUCKET_COMMIT, HOSTNAME",
        "BUILD_TAG, GIT_COMMIT, NODE_NAME"
    })
    void theVariablesOfACiNameRunCommitAndMachine(String run, String commit, String machine) {
        assertThat(settings(Map.of(run, "7", commit, "4f1d2c", machine, "a")).ci())
                .isEqualTo(new CiEnvironment(Optional.of("7"), Optional.of("4f1d2c"), Optional.of("a"), false));
    }

    @Test
    void aRepeatedRunOfGitHubIsAnotherRun() {
        assertThat(settings(Map.of("GITHUB_RUN_ID", "7", "GITHUB_RUN_ATTEMPT", "2"))
                        .ci()
                        .run())
                .contains("7-2");
    }

    @Test
    void theNameOfAWholeRunComesBeforeThatOfACi() {
        assertThat(settings(Map.of("GITHUB_RUN_ID", "7"), "meshguard.run=whole").runName())
                .contains("whole");
    }

    @Test
    void blankVariablesNameNothing() {
        assertThat(settings(Map.of("GITHUB_SHA", " ", "GIT_COMMIT", "4f1d2c"))
                        .ci()
                        .commit())
                .contains("4f1d2c");
    }

    @ParameterizedTest
    @ValueSource(strings = {"true", "1", "TRUE", "woodpecker"})
    void writesNothingWhereCiIsSet(String ci) {
        assertThat(settings(Map.of("CI", ci), "meshguard.baseline=known.txt", "meshguard.baseline.update=accept")
                        .writes(BaselineUpdate.ACCEPT))
                .isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "false", "FALSE", "0"})
    void writesWhatIsAskedForWhereCiIsOff(String ci) {
        RunSettings settings =
                settings(Map.of("CI", ci), "meshguard.baseline=known.txt", "meshguard.baseline.update=accept");

        assertThat(settings.writes(BaselineUpdate.ACCEPT)).isTrue();
        assertThat(settings.writes(BaselineUpdate.SHRINK)).isFalse();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "meshguard.baseline.update=prune|meshguard.baseline.update = prune is rejected. It is shrink, accept, strict or none.",
                "meshguard.run=7;meshguard.baseline.update=strict|meshguard.baseline.update = strict is rejected. Name the file with meshguard.baseline.",
                "meshguard.baseline.update=accept|meshguard.baseline.update = accept is rejected. Name the file with meshguard.baseline.",
                "meshguard.baseline.update=shrink|meshguard.baseline.update = shrink is rejected. A part of the tests does not show what is"
                        + " gone: run all of them, and say so with meshguard.run.",
                "meshguard.baseline=known.txt;meshguard.baseline.update=strict|meshguard.baseline.update = strict is rejected. A part of the tests does"
                        + " not show what is gone: run all of them, and say so with meshguard.run."
            })
    void rejectsWhatMakesNoSense(String parameters, String message) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> settings(Map.of(), parameters.split(";", -1)))
                .withMessage(message);
    }

    // Its output

    @Test
    void saysTheSummaryAndAttachesNothingUnlessMoreIsGiven() {
        assertThat(outputSettings())
                .isEqualTo(new OutputSettings(
                        OutputMode.ALWAYS,
                        false,
                        Optional.empty(),
                        OutputMode.FAILURES,
                        Path.of("target", "meshguard")));
    }

    @ParameterizedTest
    @CsvSource({
        "junit.platform.reporting.open.xml.enabled=true,true",
        "junit.platform.reporting.open.xml.enabled=false,false",
        "junit.platform.reporting.output.dir=target/reports,true"
    })
    void attachesHistoriesWhereReportsAre(String parameter, boolean attaches) {
        assertThat(outputSettings(parameter).attachesHistories()).isEqualTo(attaches);
    }
}
