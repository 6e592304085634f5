package dev.meshguard.verdict.growth;

import dev.meshguard.event.HistoryEvent;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.text.InvariantText;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * The boundaries of the rounds of a history.
 *
 * @param start the number of the event that began the first
 * @param ends for each round the number of the event that ended it, ascending
 * @param inconclusiveReason why they cannot be distinguished, as a whole sentence, if they cannot
 */
record RoundMarks(long start, List<Long> ends, Optional<String> inconclusiveReason) {

    private static final String ROUNDS_OVERLAP =
            "Round %d began (event #%d) before round %d had ended (event #%d began it), so the memory that each retained cannot be kept"
                    + " apart. Run the rounds one after another.";
    private static final String MESHES_OVERLAP =
            "Mesh %d was opened (event #%d) before mesh %d was closed (event #%d opened it), so meshes are no rounds here."
                    + " Mark the rounds: tracker.round(n).";

    static RoundMarks in(AllocationHistory history, Rounds rounds) {
        List<Long> ends = new ArrayList<>();
        Optional<String> overlap = Optional.empty();
        long start = Long.MAX_VALUE;
        HistoryEvent open = null;
        long last = 0;
        for (HistoryEvent event : history.events()) {
            last = event.number();
            if (isBeginning(event, rounds)) {
                start = Math.min(start, last);
                if (open == null) {
                    extendMesh(ends, last, rounds);
                } else if (overlap.isEmpty()) {
                    overlap = Optional.of(overlap(event, open, rounds));
                }
                open = event;
            } else if (isEnd(event, open, rounds)) {
                ends.add(last);
                open = null;
            }
        }
        if (open == null) {
            extendMesh(ends, last + 1, rounds);
        }
        return new RoundMarks(start, ends, overlap);
    }

    /** Returns how many rounds ended. */
    int rounds() {
        return ends.size();
    }

    /**
     * Returns the first round whose end shows the effect of an event, from 1: 0 if the event was before the first round, and one
     * more than the number of rounds if it was after the last.
     */
    int roundOf(long event) {
        if (event < start) {
            return 0;
        }
        int index = Collections.binarySearch(ends, event);
        return index < 0 ? -index : index + 1;
    }

    /** Returns whether memory that was held from an event of one round until one of another changed what a round retained. */
    boolean isCounted(int from, int until) {
        return from != until && (from > 0 || until <= rounds());
    }

    /** Adds an amount that was there from an event of one round until one of another to the amounts by round. */
    void add(int from, int until, long amount, SortedMap<Integer, Long> amounts) {
        change(from, amount, amounts);
        change(until, -amount, amounts);
    }

    private void change(int round, long amount, SortedMap<Integer, Long> amounts) {
        if (round >= 1 && round <= rounds()) {
            amounts.merge(round, amount, Long::sum);
        }
    }

    private static boolean isBeginning(HistoryEvent event, Rounds rounds) {
        return rounds == Rounds.MARKED
                ? event instanceof HistoryEvent.RoundBegan
                : event instanceof HistoryEvent.MeshOpened opened
                        && opened.mesh().parent().isEmpty();
    }

    private static boolean isEnd(HistoryEvent event, @Nullable HistoryEvent open, Rounds rounds) {
        return rounds == Rounds.MARKED
                ? event instanceof HistoryEvent.RoundEnded
                : event instanceof HistoryEvent.MeshClosed closed && open != null && numberOf(open) == closed.mesh();
    }

    /** Extends the round of a closed mesh to the opening of the next one, or to the end of the history. */
    private static void extendMesh(List<Long> ends, long event, Rounds rounds) {
        if (rounds == Rounds.MESHES && !ends.isEmpty()) {
            ends.set(ends.size() - 1, event);
        }
    }

    private static String overlap(HistoryEvent next, HistoryEvent open, Rounds rounds) {
        return InvariantText.of(
                rounds == Rounds.MARKED ? ROUNDS_OVERLAP : MESHES_OVERLAP,
                numberOf(next),
                next.number(),
                numberOf(open),
                open.number());
    }

    /** Returns the number of the round, or of its mesh. */
    private static int numberOf(HistoryEvent beginning) {
        return beginning instanceof HistoryEvent.RoundBegan round
                ? round.round()
                : ((HistoryEvent.MeshOpened) beginning).mesh().id();
    }
}
