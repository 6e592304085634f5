package dev.meshguard.report;

import dev.meshguard.tracker.Quantities;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Standing;
import dev.meshguard.verdict.Survivor;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * How many leaks lie together: by size, by label, by device.
 *
 * <p>Evidence beside the causes where there are more leaks than a reader looks at one by one. Sizes are put into the classes that
 * the field's own tools use, each ten times the one before.
 */
final class Spread {

    /** With fewer leaks the findings say all of it. */
    private static final int FEWEST_LEAKS = 5;

    private static final int MOST_PARTS = 6;
    private static final long SMALLEST_CLASS = 10 * 1024L;
    private static final int CLASSES = 5;

    private Spread() {}

    /** Returns a line each; none if the leaks are few. */
    static List<String> of(LeakVerdict verdict) {
        if (verdict.groups(Standing.LEAKED).size() < FEWEST_LEAKS) {
            return List.of();
        }
        List<Survivor> leaked = verdict.survivors(survivor -> survivor.standing() == Standing.LEAKED);
        List<String> lines = new ArrayList<>();
        lines.add("leaked by size: " + parts(bySize(leaked)));
        lines.add("leaked by label: "
                + parts(counted(
                        leaked,
                        survivor -> survivor.buffer()
                                .label()
                                .map(Quantities::quoted)
                                .orElse("unlabelled"))));
        lines.add("leaked by device: "
                + parts(counted(
                        leaked, survivor -> "device " + survivor.buffer().device())));
        return lines;
    }

    /** The smallest first; a class that has none is left out. */
    private static Map<String, Long> bySize(List<Survivor> leaked) {
        TreeMap<Integer, Long> classes = new TreeMap<>();
        leaked.forEach(survivor -> classes.merge(sizeClass(survivor.buffer().size()), 1L, Long::sum));
        Map<String, Long> named = new LinkedHashMap<>();
        classes.forEach((sizeClass, count) -> named.put(name(sizeClass), count));
        return named;
    }

    private static int sizeClass(long size) {
        int sizeClass = 0;
        for (long bound = SMALLEST_CLASS; sizeClass < CLASSES - 1 && size >= bound; bound *= 10) {
            sizeClass++;
        }
        return sizeClass;
    }

    private static String name(int sizeClass) {
        long upper = SMALLEST_CLASS;
        for (int i = 0; i < sizeClass; i++) {
            upper *= 10;
        }
        if (sizeClass == 0) {
            return "below " + Quantities.shortSize(upper);
        }
        String lower = Quantities.shortSize(upper / 10);
        return sizeClass == CLASSES - 1 ? lower + " and more" : lower + " to " + Quantities.shortSize(upper);
    }

    /** The most first; of as many the one that came first. */
    private static Map<String, Long> counted(List<Survivor> leaked, Function<Survivor, String> name) {
        Map<String, Long> counts =
                leaked.stream().collect(Collectors.groupingBy(name, LinkedHashMap::new, Collectors.counting()));
        return counts.entrySet().stream()
                .sorted(Map.Entry.comparingByValue(Comparator.reverseOrder()))
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue, Long::sum, LinkedHashMap::new));
    }

    private static String parts(Map<String, Long> counts) {
        String named = counts.entrySet().stream()
                .limit(MOST_PARTS)
                .map(part -> String.format(Locale.ROOT, "%s x %d", part.getKey(), part.getValue()))
                .collect(Collectors.joining(", "));
        int more = counts.size() - MOST_PARTS;
        return more > 0 ? named + " and " + more + " more" : named;
    }
}
