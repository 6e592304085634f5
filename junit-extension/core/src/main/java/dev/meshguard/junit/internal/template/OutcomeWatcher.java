package dev.meshguard.junit.internal.template;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestWatcher;

/**
 * Records whether one invocation of a repeated test succeeded, including all checks at its end.
 *
 * <p>Used by one thread at a time.
 */
public final class OutcomeWatcher implements TestWatcher {

    private boolean succeeded;

    @Override
    public void testSuccessful(ExtensionContext context) {
        succeeded = true;
    }

    /** Returns whether it ended normally. */
    public boolean hasSucceeded() {
        return succeeded;
    }
}
