package dev.meshguard.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;

/**
 * Turns the result files of a run into the tables of {@code docs/internals/performance.md}, and compares its ratios with the
 * targets.
 *
 * <p>Reads what JMH writes with {@code -rf csv}. Ratios are those of CPU time.
 *
 * <pre>{@code java -cp benchmarks/target/benchmarks.jar dev.meshguard.benchmarks.Summary results.csv}</pre>
 */
public final class Summary {

    /** The rows of one benchmark and one set of parameters, by the name of the metric; the time itself has none. */
    private record Measurement(String benchmark, String parameters) {}

    private record Aim(String what, Measurement measured, Measurement reference, double atMost) {}

    private static final String PACKAGE = "dev.meshguard.benchmarks.";
    private static final String CLOCK = "";
    private static final String CPU = "cpu";
    private static final String GARBAGE = "gc.alloc.rate.norm";

    private static final List<Aim> AIMS = List.of(
            new Aim(
                    "pair without origin, 1,024 live, beside the map",
                    new Measurement("PairBenchmark.oneThread", "MESHGUARD 1024"),
                    new Measurement("PairBenchmark.oneThread", "MAP 1024"),
                    1.0),
            new Aim(
                    "the same on two threads, each on its own device, beside one thread",
                    new Measurement("PairBenchmark.twoThreads", "MESHGUARD 1024"),
                    new Measurement("PairBenchmark.oneThread", "MESHGUARD 1024"),
                    1.3),
            new Aim(
                    "pair with origin at depth 60, beside a bare stack",
                    new Measurement("OriginBenchmark.oneThread", "MESHGUARD_ORIGIN 60"),
                    new Measurement("OriginBenchmark.oneThread", "STACK_ONLY 60"),
                    1.15),
            new Aim(
                    "the same beside Netty at PARANOID",
                    new Measurement("OriginBenchmark.oneThread", "MESHGUARD_ORIGIN 60"),
                    new Measurement("OriginBenchmark.oneThread", "NETTY_PARANOID 60"),
                    0.4),
            new Aim(
                    "the same beside Arrow in debug mode",
                    new Measurement("OriginBenchmark.oneThread", "MESHGUARD_ORIGIN 60"),
                    new Measurement("OriginBenchmark.oneThread", "ARROW_DEBUG 60"),
                    0.08),
            new Aim(
                    "eight devices with origin, a pair of reports, beside Netty at PARANOID",
                    new Measurement("MeshBenchmark.oneThread", "MESHGUARD_ORIGIN 60"),
                    new Measurement("MeshBenchmark.oneThread", "NETTY_PARANOID 60"),
                    0.06),
            freeList("100"),
            freeList("10000"),
            freeList("100000"));

    private static Aim freeList(String live) {
        return new Aim(
                "a pair in a free list with " + live + " live, beside a tree map",
                new Measurement("FreeListBenchmark.oneThread", "MESHGUARD " + live),
                new Measurement("FreeListBenchmark.oneThread", "TREE_MAP " + live),
                1.0);
    }

    private final Map<Measurement, Map<String, Double>> measured = new LinkedHashMap<>();

    private Summary() {}

    /** Prints the tables of the given files. */
    public static void main(String... files) throws IOException {
        Summary summary = new Summary();
        for (String file : files) {
            summary.read(Files.readAllLines(Path.of(file)));
        }
        summary.printTables();
        summary.printAims();
    }

    private void read(List<String> lines) {
        for (String line : lines.subList(1, lines.size())) {
            String[] cells = line.replace("\"", "").split(",", -1);
            String[] name = cells[0].replace(PACKAGE, "").split(":", 2);
            List<String> parameters = new ArrayList<>();
            for (String cell : List.of(cells).subList(7, cells.length)) {
                if (!cell.isEmpty()) {
                    parameters.add(cell);
                }
            }
            measured.computeIfAbsent(
                            new Measurement(name[0], String.join(" ", parameters)), unused -> new LinkedHashMap<>())
                    .put(name.length == 1 ? CLOCK : name[1], Double.valueOf(cells[4]));
        }
    }

    private void printTables() {
        String benchmark = "";
        for (Map.Entry<Measurement, Map<String, Double>> one : measured.entrySet()) {
            if (!one.getKey().benchmark().equals(benchmark)) {
                benchmark = one.getKey().benchmark();
                System.out.printf("%n### %s%n%n", benchmark);
                System.out.println("| contender | CPU ns | garbage, B | clock |");
                System.out.println("| --- | --- | --- | --- |");
            }
            System.out.printf(
                    Locale.ROOT,
                    "| %s | %,.1f | %,.0f | %,.1f |%n",
                    one.getKey().parameters(),
                    metric(one.getKey(), CPU).orElse(Double.NaN),
                    metric(one.getKey(), GARBAGE).orElse(Double.NaN),
                    metric(one.getKey(), CLOCK).orElse(Double.NaN));
        }
    }

    private void printAims() {
        System.out.printf("%n| aim | at most | measured |%n| --- | --- | --- |%n");
        for (Aim aim : AIMS) {
            OptionalDouble ours = metric(aim.measured(), CPU);
            OptionalDouble theirs = metric(aim.reference(), CPU);
            String ratio = ours.isPresent() && theirs.isPresent()
                    ? String.format(Locale.ROOT, "%.3f", ours.getAsDouble() / theirs.getAsDouble())
                    : "not in these files";
            System.out.printf(Locale.ROOT, "| %s | %.2f | %s |%n", aim.what(), aim.atMost(), ratio);
        }
    }

    private OptionalDouble metric(Measurement measurement, String metric) {
        Double found = measured.getOrDefault(measurement, Map.of()).get(metric);
        return found == null ? OptionalDouble.empty() : OptionalDouble.of(found);
    }
}
