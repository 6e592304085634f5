package dev.meshguard.junit.internal;

import dev.meshguard.verdict.baseline.Baseline;
import dev.meshguard.verdict.baseline.BaselineFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * The validated settings of a build for a whole run.
 *
 * @param expectedBuffers the file of buffers that are expected in every test
 * @param baseline the file of known leaks
 * @param update what happens to that file
 * @param run the name of the run, set by the build that starts all of it
 * @param findings the folder in which every JVM writes its findings; {@code RunResult} judges those of a named run
 * @param ci the names that a CI gives
 */
public record RunSettings(
        Optional<Path> expectedBuffers,
        Optional<Path> baseline,
        BaselineUpdate update,
        Optional<String> run,
        Optional<Path> findings,
        CiEnvironment ci) {

    /**
     * Reads parameters.
     *
     * @param parameters returns the value of a name
     * @param environment the environment variables of the process
     * @throws IllegalArgumentException if a value is invalid; the message names it
     */
    public static RunSettings of(Function<String, Optional<String>> parameters, Map<String, String> environment) {
        RunSettings settings = new RunSettings(
                ConfigurationKey.EXPECTED_BUFFERS.path(parameters),
                ConfigurationKey.BASELINE.path(parameters),
                ConfigurationKey.BASELINE_UPDATE.constant(BaselineUpdate.class, parameters),
                ConfigurationKey.RUN.given(parameters),
                ConfigurationKey.FINDINGS.path(parameters),
                CiEnvironment.of(environment));
        settings.rejectWhatMissesItsOther();
        return settings;
    }

    private void rejectWhatMissesItsOther() {
        if ((update == BaselineUpdate.SHRINK || update == BaselineUpdate.STRICT) && run.isEmpty()) {
            throw rejectedUpdate("A part of the tests does not show what is gone: run all of them, and say so with "
                    + ConfigurationKey.RUN.key() + ".");
        }
        if (update != BaselineUpdate.NONE && baseline.isEmpty()) {
            throw rejectedUpdate("Name the file with " + ConfigurationKey.BASELINE.key() + ".");
        }
    }

    private IllegalArgumentException rejectedUpdate(String allowed) {
        return ConfigurationKey.BASELINE_UPDATE.rejected(ConfigurationKey.word(update), allowed);
    }

    /** Rejects the folder of a named run in which no findings can be written: without a file of this JVM the run would look whole. */
    public void rejectUnwritten(IOException notWritten) {
        judgedFindings().ifPresent(folder -> {
            throw ConfigurationKey.FINDINGS.rejected(
                    folder.toString(),
                    "With " + ConfigurationKey.RUN.key()
                            + " this JVM writes its findings into that folder, which failed: "
                            + notWritten + ". Name a folder that can be made and written to, or leave out "
                            + ConfigurationKey.RUN.key() + ".");
        });
    }

    /**
     * Changes the baseline.
     *
     * @throws IOException if it cannot be read or written; the message names the parameter and the file
     */
    public void updateBaseline(UnaryOperator<Baseline> change) throws IOException {
        Path file = baseline.orElseThrow();
        try {
            new BaselineFile(file).update(change);
        } catch (IOException notWritten) {
            throw new IOException(ConfigurationKey.BASELINE.unwritten("The baseline", file, notWritten), notWritten);
        }
    }

    /** Returns the name of the run: that of the build, else that of the CI. */
    public Optional<String> runName() {
        return run.or(ci::run);
    }

    /** Returns the folder of the findings by which the run is judged; a run without a name is not judged by them. */
    public Optional<Path> judgedFindings() {
        return findings.filter(unused -> run.isPresent());
    }

    /** Returns whether an update of the baseline is allowed and requested; where CI is set the file is only read. */
    public boolean writes(BaselineUpdate what) {
        return update == what && !ci.isSet();
    }
}
