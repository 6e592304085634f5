package dev.meshguard.junit.internal.template;

import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestWatcher;

/**
 * Records how one invocation of a repeated test ended, including all checks at its end.
 *
 * <p>Used by one thread at a time.
 */
public final class OutcomeWatcher implements TestWatcher {

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

    /** Returns whether it ended normally. */
    public boolean hasSucceeded() {
        return succeeded;
    }

    /** Returns whether an assumption aborted it. */
    public boolean wasAborted() {
        return aborted;
    }

    /** Returns the error with which it failed. */
    public Optional<Throwable> failure() {
        return Optional.ofNullable(failure);
    }
}
