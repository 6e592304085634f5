package dev.meshguard.reproduce.minimize;

import dev.meshguard.event.HistoryEvent;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.EventNumbers;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Some events of a history, and the history that they form; the events keep their numbers. */
final class MutableHistory {

    private final List<HistoryEvent> events;
    private final AllocationHistory whole;
    private @Nullable AllocationHistory history;

    MutableHistory(AllocationHistory whole) {
        this(whole.events(), whole);
    }

    private MutableHistory(List<HistoryEvent> events, AllocationHistory whole) {
        this.events = events;
        this.whole = whole;
    }

    List<HistoryEvent> events() {
        return events;
    }

    int size() {
        return events.size();
    }

    AllocationHistory history() {
        AllocationHistory made = history;
        if (made == null) {
            made = whole.withEvents(events);
            history = made;
        }
        return made;
    }

    /** Returns the index of the event with a number; the event must be in the list. */
    int indexOf(long number) {
        int low = 0;
        int high = events.size() - 1;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (events.get(middle).number() < number) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    MutableHistory of(List<HistoryEvent> others) {
        return new MutableHistory(others, whole);
    }

    /** Returns a list of the changed events, or this list if no event changes. */
    @SuppressWarnings("ReferenceEquality") // An unchanged event is the same object.
    MutableHistory with(Function<HistoryEvent, HistoryEvent> change) {
        List<HistoryEvent> changed = new ArrayList<>(events.size());
        boolean any = false;
        for (HistoryEvent event : events) {
            HistoryEvent now = change.apply(event);
            any |= now != event;
            changed.add(now);
        }
        return any ? of(changed) : this;
    }

    MutableHistory numberedFromOne() {
        return of(EventNumbers.fromOne(events));
    }
}
