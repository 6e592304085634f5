package dev.meshguard.junit.internal.thread;

import dev.meshguard.history.AllocationHistory;
import dev.meshguard.tracker.AllocationContext;
import dev.meshguard.tracker.AllocationTracker;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Memory that belongs to no test, which the run checks when it ends.
 *
 * @param tracker has recorded it
 * @param part the part of the tracker that it is; empty if it is all of it
 * @param sources the ids of the sources that reported it
 * @param by who has allocated it, for a reader
 * @param details names these in detail
 * @param remedy a sentence on how to find the test that leaks
 */
public record UnattributedMemory(
        AllocationTracker tracker,
        Optional<AllocationContext> part,
        List<String> sources,
        String by,
        Supplier<String> details,
        String remedy) {

    static UnattributedMemory ofThreads(AllocationTracker tracker, List<String> sources, String threads) {
        return new UnattributedMemory(
                tracker,
                Optional.empty(),
                sources,
                "threads that work for no test",
                () -> threads,
                "To find the test that leaks, let tests bind their threads with TestThreads.");
    }

    /** Returns memory on the tracker of a test that code of others has allocated. */
    public static UnattributedMemory ofCallbacks(
            AllocationTracker tracker, AllocationContext part, List<String> sources, Supplier<String> callbacks) {
        return new UnattributedMemory(
                tracker, Optional.of(part), sources, "callbacks of other tests", callbacks, "Free it in that code.");
    }

    /** Returns what is known of it now. */
    public AllocationHistory history() {
        AllocationHistory all = tracker.history();
        return part.map(all::partOf).orElse(all);
    }

    /** Returns a note for the reader of a finding. */
    public String note() {
        return "allocated by " + by + ": " + details.get() + ". " + remedy;
    }
}
