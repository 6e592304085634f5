package dev.meshguard.server.log;

import java.util.List;
import java.util.stream.Collectors;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The lines of a log that say nothing this reader understands; blank ones are not counted.
 *
 * @param count how many there are
 * @param ranges where they are, ascending; of a log with more than {@value #MAX_RANGES} stretches only the first
 * @param samples the first of them
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record UnreadLines(long count, List<Range> ranges, List<Sample> samples) {

    /** How many stretches are kept, so that a file that is no log at all takes no memory. */
    public static final int MAX_RANGES = 10_000;

    /** How many lines are kept as text. */
    public static final int MAX_SAMPLES = 20;

    /**
     * Unread lines that follow one another, but for blank ones.
     *
     * @param first the number of the first, from 1
     * @param last the number of the last
     */
    public record Range(long first, long last) {

        /** Returns {@code 7} or {@code 7-12}. */
        @Override
        public String toString() {
            return first == last ? String.valueOf(first) : first + "-" + last;
        }
    }

    /**
     * One line.
     *
     * @param line its number, from 1
     * @param text what it says, without control characters and not longer than fits a terminal
     */
    public record Sample(long line, String text) {}

    /** Creates the account with its own copies of the lists. */
    public UnreadLines {
        ranges = List.copyOf(ranges);
        samples = List.copyOf(samples);
    }

    /** Returns the numbers of the lines, at most so many stretches: {@code 1-15, 20, 34-41 and more}. */
    public String numbers(int mostRanges) {
        String named = ranges.stream().limit(mostRanges).map(Range::toString).collect(Collectors.joining(", "));
        return ranges.size() > mostRanges || ranges.size() == MAX_RANGES ? named + " and more" : named;
    }
}
