package dev.meshguard.report;

import dev.meshguard.text.PrintableText;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Text limited to one screen: omitted lines are counted. */
final class TruncatedText {

    /** A failure that does not fit on a screen is not read. */
    static final int MAX_LINES = 40;

    private final List<String> lines = new ArrayList<>();

    /** Returns the first texts, joined, and the number of the others: {@code a, b and 3 more}. */
    static String list(Collection<String> all, int most, String separator) {
        String shown = all.stream().limit(most).collect(Collectors.joining(separator));
        int more = all.size() - most;
        return more > 0 ? shown + " and " + more + " more" : shown;
    }

    TruncatedText line(String line) {
        lines.add(line);
        return this;
    }

    /**
     * Adds a section with a headline and as many elements as fit; nothing for an empty list.
     *
     * @param keptFree the number of lines that are needed behind the section
     */
    <T> TruncatedText section(String headline, List<T> all, Function<T, List<String>> words, int keptFree) {
        if (all.isEmpty()) {
            return this;
        }
        lines.add(headline);
        int shown = 0;
        for (T one : all) {
            List<String> more = words.apply(one);
            boolean isLast = shown == all.size() - 1;
            if (lines.size() + more.size() + (isLast ? 0 : 1) > MAX_LINES - keptFree) {
                break;
            }
            lines.addAll(more);
            shown++;
        }
        if (shown < all.size()) {
            lines.add("   … and " + (all.size() - shown) + " more");
        }
        return this;
    }

    String text() {
        return PrintableText.lines(lines);
    }
}
