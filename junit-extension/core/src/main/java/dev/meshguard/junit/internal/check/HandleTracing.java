package dev.meshguard.junit.internal.check;

import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.junit.internal.session.TrackingSession;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.LeakCheck;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Searches for the handles of survivors before they are judged, so that one verdict names who holds them.
 *
 * <p>A search costs garbage collections. It runs only if a buffer survived that no lifetime, expectation or baseline covers
 * and that the test has not reported itself.
 */
final class HandleTracing {

    private final TrackingSession session;
    private final CheckTerms terms;

    HandleTracing(TrackingSession session, CheckTerms terms) {
        this.session = session;
        this.terms = terms;
    }

    /**
     * Searches if that is necessary.
     *
     * @param tracker receives the results; a history that is taken afterwards contains them
     * @param history returns the memory that is judged next
     * @param check the check that judges it
     * @return a note on objects that could not be searched
     */
    Optional<String> search(AllocationTracker tracker, Supplier<AllocationHistory> history, LeakCheck check) {
        if (!terms.isChecked() || !PendingFrees.hasAny(tracker)) {
            return Optional.empty();
        }
        AllocationHistory memory = history.get();
        AlreadyReportedFindings reported =
                AlreadyReportedFindings.by(terms.test().thrown());
        List<BufferGeneration> survivors = check.unexpectedSurvivors(memory).stream()
                .filter(buffer -> !reported.covers(buffer))
                .toList();
        if (survivors.isEmpty() || session.run().covers(survivors)) {
            return Optional.empty();
        }
        session.release(memory);
        return note(terms.test().handleSearch().trace(tracker, memory));
    }

    private static Optional<String> note(List<String> unread) {
        return unread.isEmpty()
                ? Optional.empty()
                : Optional.of(String.format(
                        Locale.ROOT,
                        "who holds buffers was not looked for in %s, which cannot be read from outside",
                        String.join(", ", unread)));
    }
}
