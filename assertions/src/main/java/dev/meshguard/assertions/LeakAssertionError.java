package dev.meshguard.assertions;

import dev.meshguard.verdict.LeakVerdict;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;
import org.jspecify.annotations.Nullable;
import org.opentest4j.AssertionFailedError;

/**
 * Thrown when an assertion about memory fails; carries the verdict.
 *
 * <p>The message is the text of the verdict, or of a part of it. Code that catches it can use {@link #verdict()}
 * instead of parsing the text:
 *
 * <pre>{@code
 * catch (LeakAssertionError leak) {
 *     leak.verdict().groups(SurvivorStatus.LEAKED).forEach(dashboard::add);
 * }
 * }</pre>
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class LeakAssertionError extends AssertionFailedError {

    private static final long serialVersionUID = 1;

    /** Not serialised, because a verdict holds the whole history. */
    private final transient @Nullable LeakVerdict verdict;

    private final boolean isComplete;

    private LeakAssertionError(String message, LeakVerdict verdict, boolean tellsAll) {
        super(message);
        this.verdict = verdict;
        this.isComplete = tellsAll;
    }

    /** Creates an error whose message describes the whole verdict. */
    public static LeakAssertionError of(String message, LeakVerdict verdict) {
        return new LeakAssertionError(message, verdict, true);
    }

    /** Creates an error whose message describes only a part of the verdict. */
    public static LeakAssertionError ofPart(String message, LeakVerdict verdict) {
        return new LeakAssertionError(message, verdict, false);
    }

    /**
     * Returns the verdict.
     *
     * @throws IllegalStateException if the error was deserialised, because the verdict is not serialised
     */
    public LeakVerdict verdict() {
        if (verdict == null) {
            throw new IllegalStateException(
                    "The verdict exists only in the process that reached it: this error was read from a"
                            + " stream. Its message is the whole text.");
        }
        return verdict;
    }

    /** Returns whether the message describes the whole verdict, so that no finding has to be reported again. */
    public boolean isComplete() {
        return isComplete;
    }
}
