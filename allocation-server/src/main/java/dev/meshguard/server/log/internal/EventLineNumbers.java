package dev.meshguard.server.log.internal;

import java.util.Arrays;
import java.util.OptionalLong;

/**
 * Maps the number of each event of a log's history to the number of its line in the log.
 *
 * <p>Most lines of a log are one event, so a line is stored only if it does not follow the line of the previous event.
 */
final class EventLineNumbers {

    /** The numbers of the events that begin a sequence of consecutive lines, ascending. */
    private long[] events = new long[16];

    /** Their lines. */
    private long[] lines = new long[16];

    private int rows;
    private long last;
    private long lastLine;

    EventLineNumbers() {}

    /** Records the line of the next event. */
    void add(long line) {
        last++;
        if (line != lastLine + 1 || rows == 0) {
            beginRow(line);
        }
        lastLine = line;
    }

    private void beginRow(long line) {
        if (rows == events.length) {
            events = Arrays.copyOf(events, rows * 2);
            lines = Arrays.copyOf(lines, rows * 2);
        }
        events[rows] = last;
        lines[rows] = line;
        rows++;
    }

    /** Returns the line of an event; empty if there is no event of that number. */
    OptionalLong of(long event) {
        if (event < 1 || event > last) {
            return OptionalLong.empty();
        }
        int found = Arrays.binarySearch(events, 0, rows, event);
        int row = found >= 0 ? found : -found - 2;
        return OptionalLong.of(lines[row] + event - events[row]);
    }
}
