package dev.meshguard.capture.internal;

import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.PrintableText;
import dev.meshguard.history.AllocationHistory;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The events of a recording and where its operations are among them, from which its history and those of its moments are made.
 *
 * <p>Filled by one thread; immutable once it is {@linkplain #end ended}.
 */
public final class OperationHistory {

    private static final int MAX_NAMES = 5;

    private final EventList events;
    private final ReadingCriteria criteria;
    private final String noun;
    private int round;

    /** The names of outermost operations, and how many events precede each. */
    private String[] names = new String[64];

    private int[] begins = new int[64];
    private int begun;

    /** The numbers of operations, and how many events there are at the end of each. */
    private long[] numbers = new long[64];

    private int[] ends = new int[64];
    private int ended;

    private int size;
    private List<SnapshotComparison.Contradiction> contradictions = List.of();
    private List<String> notes = List.of();
    private Optional<String> remainingNote = Optional.empty();

    /**
     * Creates a recording without operations.
     *
     * @param noun the word for it
     */
    OperationHistory(EventList events, ReadingCriteria criteria, String noun) {
        this.events = events;
        this.criteria = criteria;
        this.noun = noun;
    }

    /** Adds an outermost operation; if it is marked, a round begins. */
    void operationBegan(String name) {
        if (begun == names.length) {
            names = Arrays.copyOf(names, begun * 2);
            begins = Arrays.copyOf(begins, begun * 2);
        }
        names[begun] = name;
        begins[begun++] = events.size();
        if (criteria.beginsRound(name)) {
            endRound();
            round++;
            begin(round, events);
        }
    }

    /** Adds the end of any operation. */
    void operationEnded(long number) {
        if (ended == numbers.length) {
            numbers = Arrays.copyOf(numbers, ended * 2);
            ends = Arrays.copyOf(ends, ended * 2);
        }
        numbers[ended] = number;
        ends[ended++] = events.size();
    }

    /** Ends the last round, if there is one. */
    void endRound() {
        end(round, events);
    }

    private static void begin(int round, EventList target) {
        target.add(number -> new HistoryEvent.RoundBegan(number, round));
    }

    /** Ends a round; rounds are counted from 1. */
    private static void end(int round, EventList target) {
        if (round > 0) {
            target.add(number -> new HistoryEvent.RoundEnded(number, round));
        }
    }

    /** Returns the note about buffers that remain, if they are not judged. */
    Optional<String> noteOn(int remaining) {
        remainingNote = remaining == 0 || criteria.judgesEnd()
                ? Optional.empty()
                : Optional.of(String.format(
                        Locale.ROOT,
                        "%s still allocated at the end of the %s; the device was not closed. Weights and caches always"
                                + " are.",
                        remaining == 1 ? "1 buffer is" : remaining + " buffers are",
                        noun));
        return remainingNote;
    }

    /** Adds the last events: contradictions, whether what remains may be freed later, the notes, and the check. */
    void end(List<SnapshotComparison.Contradiction> found, List<String> all) {
        size = events.size();
        contradictions = List.copyOf(found);
        notes = List.copyOf(all);
        contradictions.forEach(contradiction -> contradiction.addTo(events));
        if (remainingNote.isPresent()) {
            events.add(number -> new HistoryEvent.TrackingStopped(
                    number, String.format(Locale.ROOT, "the %s ended before the device was closed", noun)));
        }
        addCheck(events, notes);
    }

    private void addCheck(EventList target, List<String> texts) {
        texts.forEach(note -> target.add(number -> new HistoryEvent.SourceNoted(number, note)));
        target.add(number -> new HistoryEvent.Checked(number, criteria.today()));
    }

    /** Returns the history, as the criteria demand it. */
    public AllocationHistory history() {
        return events.history();
    }

    /** Returns the history for a check at the end. */
    public AllocationHistory historyAtEnd() {
        return judged(copied(size), Long.MAX_VALUE);
    }

    /**
     * Returns the history for a check after an operation.
     *
     * @throws IllegalArgumentException if the recording has no such operation that ended
     */
    public AllocationHistory historyAfter(long operation) {
        for (int i = 0; i < ended; i++) {
            if (numbers[i] == operation) {
                return judged(copied(ends[i]), operation);
            }
        }
        throw new IllegalArgumentException(String.format(
                Locale.ROOT,
                "The %s has no operation %d that ended. %s",
                noun,
                operation,
                ended == 0 ? "It has no operation." : "The last that ended is operation " + numbers[ended - 1] + "."));
    }

    /**
     * Returns the history for a check at the end, with a round from each outermost operation that is marked to the next.
     *
     * @throws IllegalArgumentException if none is marked
     * @throws IllegalStateException if the recording was read with rounds
     */
    public AllocationHistory historyInRounds(Predicate<String> marks) {
        if (round > 0) {
            throw new IllegalStateException(
                    "The " + noun + " was read with rounds, and its history has them. Read it without roundsAt.");
        }
        EventList copy = new EventList();
        int rounds = 0;
        int next = 0;
        for (int i = 0; i < begun; i++) {
            if (marks.test(names[i])) {
                copy.addAll(events, next, begins[i]);
                next = begins[i];
                end(rounds, copy);
                rounds++;
                begin(rounds, copy);
            }
        }
        if (rounds == 0) {
            throw new IllegalArgumentException(
                    "No outermost operation of the " + noun + " has the name. " + outermostNames());
        }
        copy.addAll(events, next, size);
        end(rounds, copy);
        return judged(copy, Long.MAX_VALUE);
    }

    private String outermostNames() {
        Set<String> distinct = new LinkedHashSet<>(Arrays.asList(names).subList(0, begun));
        return distinct.isEmpty()
                ? "It has no operation."
                : String.format(
                        Locale.ROOT,
                        "The names are: %s%s.",
                        String.join(
                                ", ",
                                distinct.stream()
                                        .limit(MAX_NAMES)
                                        .map(PrintableText::line)
                                        .toList()),
                        distinct.size() > MAX_NAMES ? " and " + (distinct.size() - MAX_NAMES) + " more" : "");
    }

    private EventList copied(int end) {
        EventList copy = new EventList();
        copy.addAll(events, 0, end);
        return copy;
    }

    private AllocationHistory judged(EventList copy, long lastOperation) {
        contradictions.stream()
                .filter(contradiction -> contradiction.operation() <= lastOperation)
                .forEach(contradiction -> contradiction.addTo(copy));
        addCheck(
                copy,
                notes.stream()
                        .filter(note -> !note.equals(remainingNote.orElse("")))
                        .toList());
        return copy.history();
    }
}
