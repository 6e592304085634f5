package dev.meshguard.assertions;

import dev.meshguard.verdict.budget.BudgetVerdict;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;
import org.jspecify.annotations.Nullable;
import org.opentest4j.AssertionFailedError;

/**
 * Thrown when a budget is exceeded; carries the verdict.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class BudgetAssertionError extends AssertionFailedError {

    private static final long serialVersionUID = 1;

    /** Not serialised, because the verdict does not support it and the message is the whole text. */
    private final transient @Nullable BudgetVerdict verdict;

    private BudgetAssertionError(String message, BudgetVerdict verdict) {
        super(message);
        this.verdict = verdict;
    }

    /** Creates an error. */
    public static BudgetAssertionError of(String message, BudgetVerdict verdict) {
        return new BudgetAssertionError(message, verdict);
    }

    /**
     * Returns the verdict.
     *
     * @throws IllegalStateException if the error was deserialised, because the verdict is not serialised
     */
    public BudgetVerdict verdict() {
        if (verdict == null) {
            throw new IllegalStateException(
                    "The findings exist only in the process that reached them: this error was read from a"
                            + " stream. Its message is the whole text.");
        }
        return verdict;
    }
}
