package dev.meshguard.report;

import dev.meshguard.event.Quantities;
import dev.meshguard.history.BufferGeneration;
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
import java.util.stream.Stream;

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
        List<BufferGeneration> buffers = verdict.survivors(survivor -> survivor.status() == status).stream()
                .map(Survivor::buffer)
                .toList();
        MemoryNames names = new MemoryNames(verdict);
        List<String> devices = buffers.stream()
                .filter(names::hasDevice)
                .map(buffer -> "device " + buffer.device())
                .toList();
        List<String> labels = buffers.stream()
                .map(buffer -> buffer.label().map(Quantities::quoted).orElse("unlabelled"))
                .toList();
        String by = status.description() + " by ";
        List<String> lines =
                new ArrayList<>(List.of(by + "size: " + bySize(buffers), by + "label: " + byCount(labels)));
        if (!devices.isEmpty()) {
            lines.add(by + "device: " + byCount(devices));
        }
        return lines;
    }

    /** The smallest first; an empty class is omitted. */
    private static String bySize(List<BufferGeneration> buffers) {
        Map<Integer, Long> classes = buffers.stream()
                .collect(
                        Collectors.groupingBy(buffer -> sizeClass(buffer.size()), TreeMap::new, Collectors.counting()));
        return list(classes.entrySet().stream().map(count -> name(count.getKey()) + " x " + count.getValue()));
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
    private static String byCount(List<String> names) {
        Map<String, Long> counts = names.stream()
                .collect(Collectors.groupingBy(Function.identity(), LinkedHashMap::new, Collectors.counting()));
        return list(counts.entrySet().stream()
                .sorted(Map.Entry.comparingByValue(Comparator.reverseOrder()))
                .map(count -> count.getKey() + " x " + count.getValue()));
    }

    private static String list(Stream<String> counts) {
        return TruncatedText.list(counts.toList(), MAX_PARTS, ", ");
    }
}
