package dev.meshguard.history;

import dev.meshguard.event.HistoryEvent;
import java.util.AbstractList;
import java.util.List;
import java.util.RandomAccess;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/** A list of some events of another list, selected by index and not copied. */
final class SelectedEvents extends AbstractList<HistoryEvent> implements RandomAccess {

    private final List<HistoryEvent> all;
    private final int[] positions;

    private SelectedEvents(List<HistoryEvent> all, int[] positions) {
        this.all = all;
        this.positions = positions;
    }

    /** Returns the selected events, in their order. */
    static SelectedEvents of(List<HistoryEvent> all, Predicate<HistoryEvent> isSelected) {
        int[] positions = IntStream.range(0, all.size())
                .filter(position -> isSelected.test(all.get(position)))
                .toArray();
        return new SelectedEvents(all, positions);
    }

    @Override
    public HistoryEvent get(int index) {
        return all.get(positions[index]);
    }

    @Override
    public int size() {
        return positions.length;
    }
}
