package dev.meshguard.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** Merges texts that differ only in the indices or event numbers that they name. */
final class SimilarTexts {

    private static final Pattern NUMBER = Pattern.compile("(?<=\\[|#)\\d{1,18}(?!\\d)");

    private static final Pattern EVENTS = Pattern.compile("event #(\\d+)\\.\\.(\\d+)");

    private SimilarTexts() {}

    /**
     * Returns one text for all.
     *
     * <p>{@code ArrayList[0]}, {@code ArrayList[1]} and {@code ArrayList[2]} become {@code ArrayList[0..2]}, {@code event #7}
     * and {@code event #9} become {@code events #7 to #9}. Texts that differ otherwise are counted: the first is returned, with the number of
     * the others.
     */
    static String merged(List<String> texts) {
        Map<String, List<String>> alike = new LinkedHashMap<>();
        for (String text : texts) {
            alike.computeIfAbsent(NUMBER.matcher(text).replaceAll("0"), unused -> new ArrayList<>())
                    .add(text);
        }
        String first =
                EVENTS.matcher(withRanges(alike.values().iterator().next())).replaceAll("events #$1 to #$2");
        int others = alike.size() - 1;
        return others == 0 ? first : first + "; and " + others + " more like it";
    }

    private static String withRanges(List<String> alike) {
        List<List<Long>> numbers = alike.stream().map(SimilarTexts::numbersIn).toList();
        StringBuilder text = new StringBuilder();
        String first = alike.get(0);
        int copied = 0;
        int index = 0;
        for (MatchResult match : NUMBER.matcher(first).results().toList()) {
            int place = index;
            long least = numbers.stream().mapToLong(all -> all.get(place)).min().orElseThrow();
            long most = numbers.stream().mapToLong(all -> all.get(place)).max().orElseThrow();
            text.append(first, copied, match.start()).append(least);
            if (most > least) {
                text.append("..").append(most);
            }
            copied = match.end();
            index++;
        }
        return text.append(first, copied, first.length()).toString();
    }

    private static List<Long> numbersIn(String text) {
        return NUMBER.matcher(text)
                .results()
                .map(match -> Long.parseLong(match.group()))
                .toList();
    }
}
