package dev.meshguard.verification.corpus.stage;

import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.Reachability;
import dev.meshguard.handle.GarbageCollection;
import dev.meshguard.handle.HandleSearch;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.LeakCheck;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Finds the holders of remaining buffers as a tracked test does: by the product's own search, after collections that happened,
 * and only for buffers without another explanation.
 *
 * <p>A collection takes longer than a program of the corpus, so programs whose check is their last step are searched together
 * ({@link #searchAll()}). What is garbage at the check of each is still garbage after the last of them. Of the others only
 * those on a runtime without defect and fault are searched. For the rest, and for buffers without a handle from the source, the
 * program reports what it did ({@link RememberedHandles}).
 */
public final class SearchedHandles implements HandleFinder {

    private record Waiting(AllocationTracker tracker, Stage stage) {}

    private final RememberedHandles remembered = new RememberedHandles();
    private final GarbageCollection garbage = GarbageCollection.forced();
    private final List<Waiting> waiting = new ArrayList<>();
    private final List<String> disagreements = new ArrayList<>();
    private int searches;
    private int asked;

    @Override
    public void find(AllocationTracker tracker, Stage stage) {
        if (stage.isEnding()) {
            remembered.findWithoutHandle(tracker, stage);
            if (isToBeExplained(tracker)) {
                waiting.add(new Waiting(tracker, stage));
            }
        } else if (stage.setting().isFaultless() && isToBeExplained(tracker)) {
            remembered.findWithoutHandle(tracker, stage);
            search(new Waiting(tracker, stage), garbage);
        } else {
            remembered.find(tracker, stage);
        }
    }

    /** Searches for all that wait for it. */
    public void searchAll() {
        boolean first = garbage.run();
        boolean second = garbage.run();
        waiting.forEach(one -> search(one, () -> first && second));
        waiting.clear();
    }

    private static boolean isToBeExplained(AllocationTracker tracker) {
        AllocationHistory history = tracker.history();
        return hasHandles(history)
                && !LeakCheck.create()
                        .examine(history)
                        .survivors(survivor -> survivor.cause() == Cause.UNEXPLAINED)
                        .isEmpty();
    }

    /** Without a handle there is nothing to search for, and examining takes as long as running the program. */
    private static boolean hasHandles(AllocationHistory history) {
        return history.live().stream()
                .flatMap(buffer -> buffer.reportsRemaining().stream())
                .anyMatch(report -> report.request().handle().isPresent());
    }

    private void search(Waiting one, GarbageCollection collecting) {
        searches++;
        AllocationHistory before = one.tracker().history();
        HandleSearch.from(one.stage().kept()).collectingBy(collecting).trace(one.tracker(), before);
        for (HistoryEvent event : one.tracker().history().events()) {
            if (event instanceof HistoryEvent.HandleTraced traced
                    && traced.request().handle().isPresent()) {
                compare(one.stage(), traced);
            }
        }
    }

    private void compare(Stage stage, HistoryEvent.HandleTraced traced) {
        asked++;
        Optional<Reachability> known = RememberedHandles.reachability(stage, traced.request());
        if (known.isPresent() && known.get().state() != traced.reachability().state()) {
            disagreements.add(String.format(
                    Locale.ROOT,
                    "%s of step %d on %s: the program says %s, the search %s",
                    traced.request().details(),
                    stage.road().stepOf(traced.request()),
                    stage.setting(),
                    known.get(),
                    traced.reachability()));
        }
    }

    /** Returns in how many cases it searched. */
    public int searches() {
        return searches;
    }

    /** Returns of how many requests it was found out whether their handle can be reached. */
    public int asked() {
        return asked;
    }

    /** Returns where the search found something else than what the program did. */
    public List<String> disagreements() {
        return disagreements;
    }
}
