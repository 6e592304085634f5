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

    /** The parameter that names the run in the files, and demands nothing of it. */
    public static final String RUN = "meshguard.findings.run";

    /** The parameter that names the commit in the files. */
    public static final String COMMIT = "meshguard.findings.commit";

    /** The parameter that names the machine in the files. */
    public static final String MACHINE = "meshguard.findings.machine";

    /**
     * Reads parameters; what they do not name, the variables of a CI do.
     *
     * @param parameters returns the value of a name
     * @param environment the environment variables of the process
     * @return the settings; empty if no file is to be written
     * @throws IllegalArgumentException if a value is invalid; the message names it
     */
    public static Optional<FindingsSettings> of(
            Function<String, Optional<String>> parameters, Map<String, String> environment) {
        CiEnvironment ci = CiEnvironment.of(environment);
        return RunSettings.outputFolder(parameters, FINDINGS)
                .map(folder -> new FindingsSettings(
                        folder,
                        RunSettings.given(parameters, RUN)
                                .or(() -> RunSettings.given(parameters, RunSettings.RUN))
                                .or(ci::run),
                        RunSettings.given(parameters, COMMIT).or(ci::commit),
                        RunSettings.given(parameters, MACHINE).or(ci::machine)));
    }
}
