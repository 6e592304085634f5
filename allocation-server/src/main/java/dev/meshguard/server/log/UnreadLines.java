package dev.meshguard.server.log;

import java.util.List;
import java.util.stream.Collectors;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The unrecognized lines of a log; blank ones are not counted.
 *
 * @param count their number
 * @param ranges their line numbers, ascending; only the first {@value #MAX_RANGES} ranges
 * @param samples the first of them
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record UnreadLines(long count, List<Range> ranges, List<Sample> samples) {

    /** The maximum number of ranges, so that a file that is not a log occupies little memory. */
    public static final int MAX_RANGES = 10_000;

    /** The maximum number of lines stored as text. */
    public static final int MAX_SAMPLES = 20;

    /**
     * Consecutive unread lines, ignoring blank ones.
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
     * @param text its text, without control characters and truncated to fit a terminal
     */
    public record Sample(long line, String text) {}

    /** Creates the record with its own copies of the lists. */
    public UnreadLines {
        ranges = List.copyOf(ranges);
        samples = List.copyOf(samples);
    }

    /** Returns the numbers of the lines, up to a number of ranges: {@code 1-15, 20, 34-41 and more}. */
    public String numbers(int mostRanges) {
        String named = ranges.stream().limit(mostRanges).map(Range::toString).collect(Collectors.joining(", "));
        return ranges.size() > mostRanges || ranges.size() == MAX_RANGES ? named + " and more" : named;
    }
}
