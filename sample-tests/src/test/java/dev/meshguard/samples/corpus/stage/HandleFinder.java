package dev.meshguard.samples.corpus.stage;

import dev.meshguard.tracker.AllocationTracker;

/** Finds out, when the check is made, which handles to what is left can still be reached. */
public interface HandleFinder {

    /** Records for each request of which something is left whether its handle can be reached. */
    void find(AllocationTracker tracker, Stage stage);

    /** Returns a finder that looks for nothing: then nobody knows who holds what is left. */
    static HandleFinder none() {
        return (tracker, stage) -> {};
    }
}
