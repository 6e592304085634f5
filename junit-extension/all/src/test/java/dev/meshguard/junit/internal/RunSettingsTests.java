package dev.meshguard.junit.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RunSettingsTests {

    private static RunSettings settings(Map<String, String> environment, String... parameters) {
        Map<String, String> given = new HashMap<>();
        for (String parameter : parameters) {
            String[] parts = parameter.split("=", 2);
            given.put("meshguard." + parts[0], parts[1]);
        }
        return RunSettings.of(name -> Optional.ofNullable(given.get(name)), environment);
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
        assertThat(settings(Map.of(), "expected-buffers= ", "run=")).isEqualTo(settings(Map.of()));
    }

    @Test
    void readsEveryParameter() {
        assertThat(settings(
                        Map.of("CI", "true"),
                        "expected-buffers=expected.txt",
                        "baseline=known.txt",
                        "baseline.update=shrink",
                        "run=7",
                        "findings=target/findings"))
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
        assertThat(settings(Map.of("GITHUB_RUN_ID", "7"), "findings=target/findings")
                        .judgedFindings())
                .isEmpty();
        assertThat(settings(Map.of(), "run=7").judgedFindings()).isEmpty();
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
        assertThat(settings(Map.of("GITHUB_RUN_ID", "7"), "run=whole").runName())
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
        assertThat(settings(Map.of("CI", ci), "baseline=known.txt", "baseline.update=accept")
                        .writes(BaselineUpdate.ACCEPT))
                .isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "false", "FALSE", "0"})
    void writesWhatIsAskedForWhereCiIsOff(String ci) {
        RunSettings settings = settings(Map.of("CI", ci), "baseline=known.txt", "baseline.update=accept");

        assertThat(settings.writes(BaselineUpdate.ACCEPT)).isTrue();
        assertThat(settings.writes(BaselineUpdate.SHRINK)).isFalse();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "baseline.update=prune|meshguard.baseline.update = prune is rejected. It is shrink, accept, strict or none.",
                "run=7;baseline.update=strict|meshguard.baseline.update = strict is rejected. Name the file with meshguard.baseline.",
                "baseline.update=accept|meshguard.baseline.update = accept is rejected. Name the file with meshguard.baseline.",
                "baseline.update=shrink|meshguard.baseline.update = shrink is rejected. A part of the tests does not show what is"
                        + " gone: run all of them, and say so with meshguard.run.",
                "baseline=known.txt;baseline.update=strict|meshguard.baseline.update = strict is rejected. A part of the tests does"
                        + " not show what is gone: run all of them, and say so with meshguard.run."
            })
    void rejectsWhatMakesNoSense(String parameters, String message) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> settings(Map.of(), parameters.split(";")))
                .withMessage(message);
    }
}
