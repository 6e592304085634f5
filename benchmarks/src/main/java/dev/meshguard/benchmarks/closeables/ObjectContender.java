package dev.meshguard.benchmarks.closeables;

/** The handles that are compared. */
public enum ObjectContender {
    /** No test names their class. */
    BARE,
    /** They keep their stack. */
    STACK_ONLY,
    /** A test named their class, and no test runs. */
    UNTRACKED,
    /** A test tracks them. */
    TRACKED;

    /** Runs the test after which they are measured, if there is one. */
    public void runBefore() {
        if (this == UNTRACKED) {
            TrackedTestThread.begin().close();
        }
    }

    /** Begins a test for the calling thread, if it is to be tracked. */
    public TrackedTestThread begin() {
        return this == TRACKED ? TrackedTestThread.begin() : TrackedTestThread.none();
    }

    /** Returns a new handle. */
    public MeasuredHandle construct() {
        return switch (this) {
            case BARE -> new MeasuredHandle.Bare();
            case STACK_ONLY -> new MeasuredHandle.WithStack();
            case UNTRACKED, TRACKED -> new MeasuredHandle.Tracked();
        };
    }
}
