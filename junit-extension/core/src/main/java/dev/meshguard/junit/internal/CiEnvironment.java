package dev.meshguard.junit.internal;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Reads the names of a run from the environment variables of a CI and a shell. Nothing is guessed: a name without a variable is empty.
 *
 * <p>The order matters: the variables of one CI come before those that several have.
 *
 * @param run identifies the execution of the pipeline, which all its jobs on all machines have in common
 * @param commit the commit that is tested
 * @param machine the machine that runs the tests
 * @param isSet whether the variable says that this is a CI
 */
public record CiEnvironment(Optional<String> run, Optional<String> commit, Optional<String> machine, boolean isSet) {

    /** GitHub, GitLab, Azure, Buildkite, CircleCI, Bitbucket, Jenkins. */
    private static final List<String> RUNS = List.of(
            "GITHUB_RUN_ID",
            "CI_PIPELINE_ID",
            "BUILD_BUILDID",
            "BUILDKITE_BUILD_ID",
            "CIRCLE_WORKFLOW_ID",
            "BITBUCKET_PIPELINE_UUID",
            "BUILD_TAG");

    private static final List<String> COMMITS = List.of(
            "GITHUB_SHA",
            "CI_COMMIT_SHA",
            "BUILD_SOURCEVERSION",
            "BUILDKITE_COMMIT",
            "CIRCLE_SHA1",
            "BITBUCKET_COMMIT",
            "GIT_COMMIT");

    private static final List<String> MACHINES = List.of(
            "HOSTNAME",
            "COMPUTERNAME",
            "RUNNER_NAME",
            "CI_RUNNER_DESCRIPTION",
            "AGENT_NAME",
            "BUILDKITE_AGENT_NAME",
            "NODE_NAME");

    /** GitHub keeps the id when a run is repeated, and counts the attempts. */
    private static final String ATTEMPT = "GITHUB_RUN_ATTEMPT";

    static CiEnvironment of(Map<String, String> environment) {
        return new CiEnvironment(
                first(RUNS, environment)
                        .map(run -> first(List.of(ATTEMPT), environment)
                                .map(attempt -> run + "-" + attempt)
                                .orElse(run)),
                first(COMMITS, environment),
                first(MACHINES, environment),
                first(List.of("CI"), environment)
                        .filter(value -> !value.equalsIgnoreCase("false") && !value.equals("0"))
                        .isPresent());
    }

    private static Optional<String> first(List<String> names, Map<String, String> environment) {
        return names.stream()
                .map(name -> environment.getOrDefault(name, "").strip())
                .filter(value -> !value.isEmpty())
                .findFirst();
    }
}
