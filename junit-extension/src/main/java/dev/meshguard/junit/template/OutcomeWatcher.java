package dev.meshguard.junit.template;

import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestWatcher;

/**
 * The result of one invocation, including all checks at its end.
 *
 * <p>Used by one thread at a time.
 */
final class OutcomeWatcher implements TestWatcher {

    private @Nullable Throwable failure;
    private boolean succeeded;
    private boolean aborted;

    @Override
    public void testSuccessful(ExtensionContext context) {
        succeeded = true;
    }

    @Override
    public void testAborted(ExtensionContext context, @Nullable Throwable cause) {
        aborted = true;
    }

    @Override
    public void testFailed(ExtensionContext context, @Nullable Throwable cause) {
        failure = cause;
    }

    boolean hasSucceeded() {
        return succeeded;
    }

    boolean wasAborted() {
        return aborted;
    }

    /** Returns the error with which it failed. */
    Optional<Throwable> failure() {
        return Optional.ofNullable(failure);
    }
}
