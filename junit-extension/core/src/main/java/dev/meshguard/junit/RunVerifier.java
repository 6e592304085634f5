package dev.meshguard.junit;

import dev.meshguard.junit.internal.ConfigurationKey;
import dev.meshguard.junit.internal.RunSettings;
import dev.meshguard.junit.internal.run.RunResult;
import dev.meshguard.verdict.Outcome;
import java.io.IOException;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;
import org.opentest4j.AssertionFailedError;

/**
 * Verifies a run of many tests: it judges what no single test can.
 *
 * <p>Other tests may need an entry that matches nothing in one test. An entry that matches nothing in the whole run is
 * stale and fails the run. Only the build knows which tests are the whole run. It declares the run with configuration
 * parameters of JUnit, which may also be system properties:
 *
 * <ul>
 * <li>{@code meshguard.run}: a name for this run of <em>all</em> tests, different each time, for example the time of
 *     the build. Without it (one test from an IDE) nothing is judged at the end;
 * <li>{@code meshguard.findings}: the folder of findings, in which each JVM writes a file. Needed where tests run in several
 *     JVMs, or in several executions of one JVM. Surefire does that with {@code forkCount} above 1,
 *     {@code reuseForks=false} and {@code rerunFailingTestsCount}. Without it the single execution judges itself when it ends.
 * </ul>
 *
 * <p>With a folder, the build calls {@link #main} after the tests, with the same parameters as system properties. A
 * file without an end, because its JVM was killed, makes the run {@code INCONCLUSIVE}, which fails it too. Files of
 * other runs in the folder are ignored.
 *
 * <p>Known leaks are verified in the same way, see {@code docs/baseline.md}.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class RunVerifier {

    private final RunResult result;

    private RunVerifier(RunResult result) {
        this.result = result;
    }

    /**
     * Judges a run by the findings files of its JVMs, and writes the baseline if requested.
     *
     * @param parameters returns the values of the parameters of the run; empty for those that are not given
     * @param environment the environment variables of the process; where {@code CI} is set nothing is written
     * @throws IOException if a file cannot be read or written
     * @throws IllegalArgumentException if a parameter is missing or invalid; the message names it
     */
    public static RunVerifier judge(Function<String, Optional<String>> parameters, Map<String, String> environment)
            throws IOException {
        return new RunVerifier(RunResult.of(RunSettings.of(parameters, environment)));
    }

    /**
     * Judges a run by its system properties, prints the result, and fails if the run fails.
     *
     * @throws AssertionFailedError if a file is stale, or a part of the run is missing; its first frame is the place to open
     * @throws IOException if a file cannot be read or written
     */
    public static void main(String... arguments) throws IOException {
        if (arguments.length > 0) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT,
                    "%s is rejected: there are no arguments. Give %s and %s as system properties.",
                    String.join(" ", arguments),
                    ConfigurationKey.FINDINGS.key(),
                    ConfigurationKey.RUN.key()));
        }
        RunVerifier verifier = judge(name -> Optional.ofNullable(System.getProperty(name)), System.getenv());
        if (!verifier.isGood()) {
            throw verifier.result.failure();
        }
        System.out.println(verifier.text());
    }

    /**
     * Returns {@code EXPECTED_ONLY} if the run matches its files, {@code STALE_EXPECTATION} if a file is stale,
     * {@code INCONCLUSIVE} if a part of the run is missing.
     */
    public Outcome outcome() {
        return result.outcome();
    }

    /** Returns whether the run matches its files. */
    public boolean isGood() {
        return outcome() == Outcome.EXPECTED_ONLY;
    }

    /** Returns the printed text, without a line break at the end. */
    public String text() {
        return result.text();
    }
}
