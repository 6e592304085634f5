package dev.meshguard.server.log.internal;

import dev.meshguard.server.log.UnreadLines;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Counts the unrecognized lines, in bounded memory. */
final class UnreadLineCounter {

    private static final int MAX_SAMPLE_LENGTH = 120;
    private static final Pattern UNPRINTABLE = Pattern.compile("[\\p{Cc}\\p{Cf}]");

    private final List<UnreadLines.Range> ranges = new ArrayList<>();
    private final List<UnreadLines.Sample> samples = new ArrayList<>();
    private long count;
    private long first;
    private long last;

    void add(long line, String text) {
        count++;
        if (samples.size() < UnreadLines.MAX_SAMPLES) {
            String stripped = text.strip();
            String shown =
                    stripped.length() > MAX_SAMPLE_LENGTH ? stripped.substring(0, MAX_SAMPLE_LENGTH) + "…" : stripped;
            samples.add(new UnreadLines.Sample(line, UNPRINTABLE.matcher(shown).replaceAll(" ")));
        }
        first = first == 0 ? line : first;
        last = line;
    }

    /** A recognized line ends a range; a blank one does not. */
    void interrupted() {
        if (first != 0 && ranges.size() < UnreadLines.MAX_RANGES) {
            ranges.add(new UnreadLines.Range(first, last));
        }
        first = 0;
    }

    UnreadLines lines() {
        interrupted();
        return new UnreadLines(count, ranges, samples);
    }
}
