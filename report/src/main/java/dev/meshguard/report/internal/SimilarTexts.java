package dev.meshguard.report.internal;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Merges texts that differ only in the indices or event numbers that they name. */
public final class SimilarTexts {

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
    public static String merged(List<String> texts) {
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
        List<LongSummaryStatistics> ranges = new ArrayList<>();
        for (String text : alike) {
            Matcher number = NUMBER.matcher(text);
            for (int place = 0; number.find(); place++) {
                if (place == ranges.size()) {
                    ranges.add(new LongSummaryStatistics());
                }
                ranges.get(place).accept(Long.parseLong(number.group()));
            }
        }
        Iterator<LongSummaryStatistics> next = ranges.iterator();
        return NUMBER.matcher(alike.get(0)).replaceAll(unused -> range(next.next()));
    }

    private static String range(LongSummaryStatistics numbers) {
        return numbers.getMin() + (numbers.getMax() > numbers.getMin() ? ".." + numbers.getMax() : "");
    }
}
