package dev.meshguard.junit;

import dev.meshguard.junit.internal.RunJudgement;
import dev.meshguard.junit.internal.RunSettings;
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
 * The last step of a run of many tests: judges what no single test can.
 *
 * <p>An entry that matches nothing in one test is what the other tests need; one that matches nothing in the whole run is
 * out of date and fails it. What the whole run is, only the build knows. It says so with configuration parameters of JUnit, which may
 * also be system properties:
 *
 * <ul>
 *   <li>{@code meshguard.run}: a name for this run of <em>all</em> tests, another one each time, for example the time of the build.
 *       Where it is not given (one test from an IDE) nothing is judged at the end;
 *   <li>{@code meshguard.account}: a folder in which each JVM keeps its account. Needed where tests run in several JVMs, or in several
 *       executions of one: Surefire does that with {@code forkCount} above 1, {@code reuseForks=false} and
 *       {@code rerunFailingTestsCount}. Without it the one execution judges itself when it ends.
 * </ul>
 *
 * <p>With a folder the build calls {@link #main} after the tests, with the same parameters as system properties. An account that came
 * to no end, because its JVM was killed, makes the run {@code INCONCLUSIVE}, which fails it too. Accounts of other runs that lie in the
 * folder are not looked at.
 *
 * <p>The known leaks are judged likewise, see {@code docs/what-may-stay.md}.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class RunVerifier {

    private final RunJudgement judgement;

    private RunVerifier(RunJudgement judgement) {
        this.judgement = judgement;
    }

    /**
     * Judges a run by the accounts of its JVMs, and writes the baseline if that is asked for.
     *
     * @param parameters the values of the parameters of the run; empty for those that are not given
     * @param environment the variables of the process; where {@code CI} is set nothing is written
     * @throws IOException if a file cannot be read or written
     * @throws IllegalArgumentException if a parameter is missing or makes no sense; the message names it
     */
    public static RunVerifier judge(Function<String, Optional<String>> parameters, Map<String, String> environment)
            throws IOException {
        return new RunVerifier(RunJudgement.of(RunSettings.of(parameters, environment)));
    }

    /**
     * Judges a run by its system properties, prints what there is to say, and fails if the run does.
     *
     * @throws AssertionFailedError if a file is out of date, or a part of the run is missing
     * @throws IOException if a file cannot be read or written
     */
    public static void main(String... arguments) throws IOException {
        if (arguments.length > 0) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT,
                    "%s is refused: there are no arguments. Give %s and %s as system properties.",
                    String.join(" ", arguments),
                    RunSettings.ACCOUNT,
                    RunSettings.RUN));
        }
        RunVerifier account = judge(name -> Optional.ofNullable(System.getProperty(name)), System.getenv());
        if (!account.isGood()) {
            AssertionFailedError failure = new AssertionFailedError(account.text());
            failure.setStackTrace(new StackTraceElement[0]);
            throw failure;
        }
        System.out.println(account.text());
    }

    /**
     * Returns {@code EXPECTED_ONLY} if the run is as its files say, {@code STALE_EXPECTATION} if a file is out of date,
     * {@code INCONCLUSIVE} if a part of the run is missing.
     */
    public Outcome outcome() {
        return judgement.outcome();
    }

    /** Returns whether the run is as its files say. */
    public boolean isGood() {
        return outcome() == Outcome.EXPECTED_ONLY;
    }

    /** Returns what there is to say, without a line break at the end. */
    public String text() {
        return judgement.text();
    }
}
