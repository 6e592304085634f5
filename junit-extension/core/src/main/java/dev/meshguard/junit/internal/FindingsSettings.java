package dev.meshguard.junit.internal;

import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * The validated settings of the files of findings.
 *
 * @param folder the folder of the files
 * @param run the name of the run, if anything names it
 * @param commit the commit that is tested, if anything names it
 * @param machine the machine that runs the tests, if anything names it
 */
public record FindingsSettings(Path folder, Optional<String> run, Optional<String> commit, Optional<String> machine) {

    /** The parameter that names the folder of the files. */
    public static final String FINDINGS = "meshguard.findings";

    /**
     * Reads parameters; the variables of a CI name the commit and the machine, and the run if no parameter does.
     *
     * @param parameters returns the value of a name
     * @param environment the environment variables of the process
     * @return the settings; empty if no file is to be written
     * @throws IllegalArgumentException if a value is invalid; the message names it
     */
    public static Optional<FindingsSettings> of(
            Function<String, Optional<String>> parameters, Map<String, String> environment) {
        CiEnvironment ci = CiEnvironment.of(environment);
        return RunSettings.path(parameters, FINDINGS)
                .map(folder -> new FindingsSettings(
                        folder, RunSettings.given(parameters, RunSettings.RUN).or(ci::run), ci.commit(), ci.machine()));
    }
}
