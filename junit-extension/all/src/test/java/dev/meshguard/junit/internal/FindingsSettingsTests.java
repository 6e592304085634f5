package dev.meshguard.junit.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The settings of the files of findings. */
class FindingsSettingsTests {

    private static final Map<String, String> FOLDER = Map.of("meshguard.findings", "target/findings");

    @Test
    void withoutAFolderNothingIsWritten() {
        assertThat(FindingsSettings.of(parameters(Map.of()), Map.of("GITHUB_SHA", "4f1d2c")))
                .isEmpty();
    }

    @Test
    void whatNothingNamesIsUnknown() {
        assertThat(settings(FOLDER, Map.of()))
                .isEqualTo(new FindingsSettings(
                        Path.of("target/findings"), Optional.empty(), Optional.empty(), Optional.empty()));
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
        assertThat(settings(FOLDER, Map.of(run, "7", commit, "4f1d2c", machine, "a")))
                .isEqualTo(new FindingsSettings(
                        Path.of("target/findings"), Optional.of("7"), Optional.of("4f1d2c"), Optional.of("a")));
    }

    @Test
    void aRepeatedRunOfGitHubIsAnotherRun() {
        assertThat(settings(FOLDER, Map.of("GITHUB_RUN_ID", "7", "GITHUB_RUN_ATTEMPT", "2"))
                        .run())
                .contains("7-2");
    }

    @Test
    void theNameOfAWholeRunComesBeforeThatOfACi() {
        FindingsSettings settings =
                settings(Map.of("meshguard.findings", "f", "meshguard.run", "whole"), Map.of("GITHUB_RUN_ID", "7"));

        assertThat(settings.run()).contains("whole");
    }

    @Test
    void blankVariablesNameNothing() {
        assertThat(settings(FOLDER, Map.of("GITHUB_SHA", " ", "GIT_COMMIT", "4f1d2c"))
                        .commit())
                .contains("4f1d2c");
    }

    @Test
    void aFolderThatIsNoPathIsRejected() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> settings(Map.of("meshguard.findings", "a\0b"), Map.of()))
                .withMessageStartingWith("meshguard.findings = a\0b is rejected. It is no path here: ");
    }

    private static FindingsSettings settings(Map<String, String> parameters, Map<String, String> environment) {
        return FindingsSettings.of(parameters(parameters), environment).orElseThrow();
    }

    private static Function<String, Optional<String>> parameters(Map<String, String> values) {
        return name -> Optional.ofNullable(values.get(name));
    }
}
