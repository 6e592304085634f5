package dev.meshguard.verdict.internal;

import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.verdict.Diagnosis;
import dev.meshguard.verdict.Evidence;
import dev.meshguard.verdict.Overwrite;
import dev.meshguard.verdict.Survivor;
import dev.meshguard.verdict.SurvivorStatus;
import dev.meshguard.verdict.expectation.Expectation;
import dev.meshguard.verdict.expectation.ExpectationResult;
import dev.meshguard.verdict.expectation.ExpectationResult.Deadline;
import dev.meshguard.verdict.expectation.ExpectedBuffers;
import java.time.LocalDate;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Assigns survivors and overwritten buffers to expectations: each to the first entry that fits and has room.
 *
 * <p>This is the only place in which the status of a survivor changes.
 */
final class ExpectationMatcher {

    /** The same findings, with the entries that expect them. */
    record Match(List<Survivor> survivors, List<Overwrite> overwrites, List<ExpectationResult> results) {}

    /** Leaks use the room of an entry first, then late frees, then misreported buffers; the oldest first. */
    private static final Comparator<Survivor> LEAKS_FIRST =
            Comparator.comparingInt(survivor -> switch (survivor.status()) {
                case LEAKED, UNDECIDED, EXPECTED -> 0;
                case FREED_LATE -> 1;
                case MISREPORTED -> 2;
            });

    private final AllocationHistory history;
    private final List<Entry> entries;

    private ExpectationMatcher(AllocationHistory history, ExpectedBuffers expected) {
        this.history = history;
        this.entries = expected.entries().stream()
                .map(entry -> new Entry(entry, history.check().map(HistoryEvent.Checked::today)))
                .toList();
    }

    /**
     * Assigns findings to the entries that expect them.
     *
     * @param survivors the survivors, oldest first
     * @param overwrites the overwritten buffers, oldest first
     */
    static Match match(
            ExpectedBuffers expected, AllocationHistory history, List<Survivor> survivors, List<Overwrite> overwrites) {
        if (expected.entries().isEmpty()) {
            return new Match(survivors, overwrites, List.of());
        }
        ExpectationMatcher matcher = new ExpectationMatcher(history, expected);
        return new Match(
                survivors.stream().sorted(LEAKS_FIRST).map(matcher::matched).toList(),
                overwrites.stream().map(matcher::matched).toList(),
                matcher.entries.stream().map(Entry::result).toList());
    }

    /** Returns the survivors that no entry expects. */
    static List<BufferGeneration> unexpected(
            ExpectedBuffers expected, AllocationHistory history, List<BufferGeneration> survivors) {
        ExpectationMatcher matcher = new ExpectationMatcher(history, expected);
        return survivors.stream()
                .filter(buffer -> assigned(buffer, matcher.fitting(buffer)).isEmpty())
                .toList();
    }

    private List<Entry> fitting(BufferGeneration buffer) {
        return entries.stream().filter(entry -> entry.permitsSurvival(buffer)).toList();
    }

    /**
     * Assigns a buffer to the first of the entries that fit it which has room. The expired ones before it reject the buffer; without
     * such an entry, all of them do.
     */
    private static Optional<Expectation> assigned(BufferGeneration buffer, List<Entry> fitting) {
        List<Entry> before =
                fitting.stream().takeWhile(entry -> !entry.hasRoom()).toList();
        if (before.size() == fitting.size()) {
            before.forEach(Entry::reject);
            return Optional.empty();
        }
        before.stream().filter(entry -> entry.deadline == Deadline.PASSED).forEach(Entry::reject);
        Entry first = fitting.get(before.size());
        first.add(buffer);
        return Optional.of(first.expectation);
    }

    // Survivors

    private Survivor matched(Survivor survivor) {
        BufferGeneration buffer = survivor.buffer();
        List<Entry> fitting = fitting(buffer);
        Optional<Expectation> expectation = assigned(buffer, fitting);
        return new Survivor(
                buffer,
                expectation.isPresent() ? survivor.diagnosis() : withoutRoom(survivor.diagnosis(), fitting),
                expectation);
    }

    /**
     * A survivor that an entry means but does not permit has leaked, also if it would be expected without the entry.
     */
    private Diagnosis withoutRoom(Diagnosis diagnosis, List<Entry> fitting) {
        List<Evidence> expired = fitting.stream()
                .filter(entry -> entry.deadline == Deadline.PASSED)
                .map(entry -> expired(entry.expectation))
                .toList();
        if (fitting.isEmpty() || diagnosis.status() != SurvivorStatus.EXPECTED) {
            return diagnosis.and(expired);
        }
        return new Diagnosis(diagnosis.cause(), SurvivorStatus.LEAKED, diagnosis.evidence(), diagnosis.reason())
                .and(
                        expired.isEmpty()
                                ? List.of(Evidence.of("more of them survived than the expectations allow"))
                                : expired);
    }

    private Evidence expired(Expectation expectation) {
        HistoryEvent.Checked check = history.check().orElseThrow();
        return Evidence.formatted(
                        "it was expected until %s, and the check was made on %s",
                        expectation.until().orElseThrow(), check.today())
                .provedBy(List.of(check.number()));
    }

    // Overwritten buffers

    private Overwrite matched(Overwrite overwrite) {
        List<Entry> fitting =
                entries.stream().filter(entry -> concerns(entry, overwrite)).toList();
        return assigned(overwrite.buffer(), fitting).map(overwrite::expectedBy).orElse(overwrite);
    }

    /** Of two allocators that hold the same memory, each may lose its data. */
    private boolean concerns(Entry entry, Overwrite overwrite) {
        return entry.permitsOverwriting(overwrite.buffer())
                || (overwrite.kind() == Overwrite.Kind.BY_OTHER_ALLOCATOR
                        && overwrite.writer().stream()
                                .flatMap(writer -> history.buffersOf(writer.request()).stream())
                                .anyMatch(entry::permitsOverwriting));
    }

    /** An expectation, and how many buffers it has matched so far. */
    private static final class Entry {
        private final Expectation expectation;
        private final Deadline deadline;
        private long buffers;
        private long bytes;
        private long rejected;

        /**
         * Creates an entry that has matched nothing.
         *
         * @param today the day of the check, from the history: with a clock, it would give another verdict tomorrow
         */
        private Entry(Expectation expectation, Optional<LocalDate> today) {
            this.expectation = expectation;
            this.deadline = expectation
                    .until()
                    .map(last -> today.map(day -> day.isAfter(last) ? Deadline.PASSED : Deadline.AHEAD)
                            .orElse(Deadline.UNKNOWN))
                    .orElse(Deadline.NONE);
        }

        /** Persistent buffers are expected anyway and use no room. */
        private boolean permitsSurvival(BufferGeneration buffer) {
            return !expectation.isForOverwritten()
                    && buffer.lifetime() != BufferLifetime.PERSISTENT
                    && expectation.fits(buffer);
        }

        private boolean permitsOverwriting(BufferGeneration buffer) {
            return expectation.isForOverwritten() && expectation.fits(buffer);
        }

        private boolean hasRoom() {
            return deadline != Deadline.PASSED && buffers < expectation.count().atMost();
        }

        private void add(BufferGeneration buffer) {
            buffers++;
            bytes += remainingBytes(buffer);
        }

        private void reject() {
            rejected++;
        }

        /** Returns the remaining bytes; the first size may be that of a freed report. */
        private static long remainingBytes(BufferGeneration buffer) {
            return buffer.reportsRemaining().stream()
                    .mapToLong(BufferGeneration.Report::size)
                    .max()
                    .orElse(buffer.size());
        }

        private ExpectationResult result() {
            return new ExpectationResult(expectation, buffers, bytes, rejected, deadline);
        }
    }
}
