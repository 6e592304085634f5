package dev.meshguard.verdict.growth;

import dev.meshguard.event.HistoryEvent;
import dev.meshguard.history.AllocationHistory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The boundaries of the rounds of a history.
 *
 * @param start the number of the event that began the first
 * @param ends for each round the number of the event that ended it, ascending
 * @param inconclusiveReason why they cannot be distinguished, as a whole sentence, if they cannot
 */
@SuppressWarnings("ArrayRecordComponent") // A million rounds; nobody compares marks.
record RoundMarks(long start, long[] ends, Optional<String> inconclusiveReason) {

    static RoundMarks in(AllocationHistory history, Rounds rounds) {
        return rounds == Rounds.MARKED ? marked(history) : meshes(history);
    }

    /** Returns how many rounds ended. */
    int rounds() {
        return ends.length;
    }

    /**
     * Returns the first round whose end shows the effect of an event, from 1: 0 if the event was before the first round, and one
     * more than the number of rounds if it was after the last.
     */
    int roundOf(long event) {
        if (event < start) {
            return 0;
        }
        int place = Arrays.binarySearch(ends, event);
        return place < 0 ? -place : place + 1;
    }

    private static RoundMarks marked(AllocationHistory history) {
        List<Long> ends = new ArrayList<>();
        long start = Long.MAX_VALUE;
        HistoryEvent.@Nullable RoundBegan open = null;
        Optional<String> doubt = Optional.empty();
        for (HistoryEvent event : history.events()) {
            if (event instanceof HistoryEvent.RoundBegan began) {
                start = Math.min(start, began.number());
                if (open != null && doubt.isEmpty()) {
                    doubt = Optional.of(overlap(began, open));
                }
                open = began;
            } else if (event instanceof HistoryEvent.RoundEnded ended) {
                ends.add(ended.number());
                open = null;
            }
        }
        return of(start, ends, doubt);
    }

    private static RoundMarks meshes(AllocationHistory history) {
        List<Long> ends = new ArrayList<>();
        long start = Long.MAX_VALUE;
        HistoryEvent.@Nullable MeshOpened open = null;
        boolean hasRun = false;
        long last = 0;
        Optional<String> doubt = Optional.empty();
        for (HistoryEvent event : history.events()) {
            last = event.number();
            if (event instanceof HistoryEvent.MeshOpened opened
                    && opened.mesh().parent().isEmpty()) {
                start = Math.min(start, opened.number());
                if (open != null && doubt.isEmpty()) {
                    doubt = Optional.of(overlap(opened, open));
                }
                if (hasRun) {
                    ends.add(opened.number());
                }
                open = opened;
                hasRun = false;
            } else if (event instanceof HistoryEvent.MeshClosed closed
                    && open != null
                    && open.mesh().id() == closed.mesh()) {
                open = null;
                hasRun = true;
            }
        }
        if (hasRun) {
            ends.add(last + 1);
        }
        return of(start, ends, doubt);
    }

    private static RoundMarks of(long start, List<Long> ends, Optional<String> doubt) {
        return new RoundMarks(start, ends.stream().mapToLong(Long::longValue).toArray(), doubt);
    }

    private static String overlap(HistoryEvent.RoundBegan next, HistoryEvent.RoundBegan open) {
        return String.format(
                Locale.ROOT,
                "Round %d began (event #%d) before round %d had ended (event #%d began it), so the memory that each retained cannot be kept"
                        + " apart. Run the rounds one after another.",
                next.round(),
                next.number(),
                open.round(),
                open.number());
    }

    private static String overlap(HistoryEvent.MeshOpened next, HistoryEvent.MeshOpened open) {
        return String.format(
                Locale.ROOT,
                "Mesh %d was opened (event #%d) before mesh %d was closed (event #%d opened it), so meshes are no rounds here."
                        + " Mark the rounds: tracker.round(n).",
                next.mesh().id(),
                next.number(),
                open.mesh().id(),
                open.number());
    }
}
