package dev.meshguard.report;

import dev.meshguard.event.Quantities;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Survivor;
import dev.meshguard.verdict.SurvivorStatus;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The number of survivors of one status by size, by label and by device.
 *
 * <p>It supplements the causes if there are too many survivors to examine one by one. The size classes are those of
 * tt-metal's own tools, each ten times the previous one.
 */
final class SurvivorHistogram {

    /** Fewer findings show everything themselves. */
    private static final int MIN_GROUPS = 5;

    private static final int MAX_PARTS = 6;

    /** The bytes at which a size class ends and the next one begins. */
    private static final List<Long> BOUNDS = List.of(10L << 10, 100L << 10, 1_000L << 10, 10_000L << 10);

    private SurvivorHistogram() {}

    /** Returns a line by size, by label and, for memory of devices, by device; none if few findings have that status. */
    static List<String> of(LeakVerdict verdict, SurvivorStatus status) {
        if (verdict.groups(status).size() < MIN_GROUPS) {
            return List.of();
        }
        List<Survivor> survivors = verdict.survivors(survivor -> survivor.status() == status);
        MemoryNames names = new MemoryNames(verdict);
        List<Survivor> onDevices = survivors.stream()
                .filter(survivor -> names.hasDevice(survivor.buffer()))
                .toList();
        List<String> lines = new ArrayList<>(List.of(
                status.description() + " by size: " + parts(bySize(survivors)),
                status.description() + " by label: "
                        + parts(counted(
                                survivors,
                                survivor -> survivor.buffer()
                                        .label()
                                        .map(Quantities::quoted)
                                        .orElse("unlabelled")))));
        if (!onDevices.isEmpty()) {
            lines.add(status.description() + " by device: "
                    + parts(counted(
                            onDevices, survivor -> "device " + survivor.buffer().device())));
        }
        return lines;
    }

    /** The smallest first; an empty class is omitted. */
    private static Map<String, Long> bySize(List<Survivor> survivors) {
        Map<Integer, Long> classes = survivors.stream()
                .collect(Collectors.groupingBy(
                        survivor -> sizeClass(survivor.buffer().size()), TreeMap::new, Collectors.counting()));
        Map<String, Long> named = new LinkedHashMap<>();
        classes.forEach((sizeClass, count) -> named.put(name(sizeClass), count));
        return named;
    }

    private static int sizeClass(long size) {
        return (int) BOUNDS.stream().filter(bound -> size >= bound).count();
    }

    private static String name(int sizeClass) {
        if (sizeClass == 0) {
            return "below " + Quantities.shortSize(BOUNDS.get(0));
        }
        String lower = Quantities.shortSize(BOUNDS.get(sizeClass - 1));
        return sizeClass == BOUNDS.size()
                ? lower + " and more"
                : lower + " to " + Quantities.shortSize(BOUNDS.get(sizeClass));
    }

    /** The largest count first; of equal ones the first to occur. */
    private static Map<String, Long> counted(List<Survivor> survivors, Function<Survivor, String> name) {
        Map<String, Long> counts =
                survivors.stream().collect(Collectors.groupingBy(name, LinkedHashMap::new, Collectors.counting()));
        return counts.entrySet().stream()
                .sorted(Map.Entry.comparingByValue(Comparator.reverseOrder()))
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue, Long::sum, LinkedHashMap::new));
    }

    private static String parts(Map<String, Long> counts) {
        return TruncatedText.list(
                counts.entrySet().stream()
                        .map(part -> part.getKey() + " x " + part.getValue())
                        .toList(),
                MAX_PARTS,
                ", ");
    }
}
