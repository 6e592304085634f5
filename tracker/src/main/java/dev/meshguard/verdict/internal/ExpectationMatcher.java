package dev.meshguard.verdict.internal;

import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.verdict.Evidence;
import dev.meshguard.verdict.expectation.Expectation;
import dev.meshguard.verdict.expectation.ExpectationResult;
import dev.meshguard.verdict.expectation.ExpectationResult.Deadline;
import java.time.LocalDate;
import java.util.Locale;
import java.util.Optional;

/** Matches survivors with one expectation until its number or its last day is exceeded. */
final class ExpectationMatcher {

    private final Expectation expectation;
    private final AllocationHistory history;
    private final Deadline deadline;
    private long buffers;
    private long bytes;
    private long rejected;

    ExpectationMatcher(Expectation expectation, AllocationHistory history) {
        this.expectation = expectation;
        this.history = history;
        this.deadline = deadline(expectation, history);
    }

    /** The history holds the day of the check: with a clock, the same history would give another verdict tomorrow. */
    private static Deadline deadline(Expectation expectation, AllocationHistory history) {
        Optional<LocalDate> today = history.check().map(HistoryEvent.Checked::today);
        if (expectation.until().isEmpty()) {
            return Deadline.NONE;
        }
        if (today.isEmpty()) {
            return Deadline.UNKNOWN;
        }
        return today.get().isAfter(expectation.until().get()) ? Deadline.PASSED : Deadline.AHEAD;
    }

    Expectation expectation() {
        return expectation;
    }

    /**
     * Returns whether an expectation is about the survival of a buffer. Persistent buffers are expected anyway and use no
     * room of an expectation.
     */
    boolean permitsSurvival(BufferGeneration buffer) {
        return !expectation.isForOverwritten()
                && buffer.lifetime() != BufferLifetime.PERSISTENT
                && expectation.fits(buffer);
    }

    /** Returns whether an expectation is about the loss of a buffer's data. */
    boolean permitsOverwriting(BufferGeneration buffer) {
        return expectation.isForOverwritten() && expectation.fits(buffer);
    }

    boolean tryMatch(BufferGeneration buffer) {
        boolean hasRoom =
                deadline != Deadline.PASSED && buffers < expectation.count().atMost();
        if (hasRoom) {
            buffers++;
            bytes += remainingBytes(buffer);
        } else {
            rejected++;
        }
        return hasRoom;
    }

    /** Returns the remaining bytes; the first size may be that of a freed report. */
    private static long remainingBytes(BufferGeneration buffer) {
        return buffer.reportsRemaining().stream()
                .mapToLong(BufferGeneration.Report::size)
                .max()
                .orElse(buffer.size());
    }

    /** Returns that the expectation had expired, if it had. */
    Optional<Evidence> end() {
        return history.check()
                .filter(unused -> deadline == Deadline.PASSED)
                .map(check -> Evidence.of(
                        String.format(
                                Locale.ROOT,
                                "it was expected until %s, and the check was made on %s",
                                expectation.until().orElseThrow(),
                                check.today()),
                        check.number()));
    }

    ExpectationResult result() {
        return new ExpectationResult(expectation, buffers, bytes, rejected, deadline);
    }
}
