package dev.meshguard.server.log.internal;

import dev.meshguard.server.log.UnreadLines;
import java.util.ArrayList;
import java.util.List;

/** Counts the unrecognized lines, in bounded memory. */
final class UnreadLineCounter {

    private static final int MAX_SAMPLE_LENGTH = 120;

    private final List<UnreadLines.Range> ranges = new ArrayList<>();
    private final List<UnreadLines.Sample> samples = new ArrayList<>();
    private long count;
    private long first;
    private long last;

    void add(long line, String text) {
        count++;
        if (samples.size() < UnreadLines.MAX_SAMPLES) {
            samples.add(new UnreadLines.Sample(line, printable(text)));
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

    long count() {
        return count;
    }

    UnreadLines lines() {
        interrupted();
        return new UnreadLines(count, ranges, samples);
    }

    private static String printable(String text) {
        StringBuilder clean = new StringBuilder();
        String stripped = text.strip();
        int shown = Math.min(stripped.length(), MAX_SAMPLE_LENGTH);
        for (int i = 0; i < shown; i++) {
            char character = stripped.charAt(i);
            clean.append(
                    Character.isISOControl(character) || Character.getType(character) == Character.FORMAT
                            ? ' '
                            : character);
        }
        return stripped.length() > shown ? clean + "…" : clean.toString();
    }
}
