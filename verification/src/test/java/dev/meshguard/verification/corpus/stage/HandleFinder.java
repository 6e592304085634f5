package dev.meshguard.verification.corpus.stage;

import dev.meshguard.tracker.AllocationTracker;

/** Finds, at the check, the reachable handles to remaining buffers. */
public interface HandleFinder {

    /** Records for each request of which something is left whether its handle can be reached. */
    void find(AllocationTracker tracker, Stage stage);

    /** Returns a finder that looks for nothing: then nobody knows who holds what is left. */
    static HandleFinder none() {
        return (tracker, stage) -> {};
    }
}
