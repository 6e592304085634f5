package dev.meshguard.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Turns the result files of a run into the table of aims in {@code docs/internals/performance.md}, and into one of all that they
 * hold.
 *
 * <p>Reads what JMH writes with {@code -rf csv}. An aim of which a file lacks a part is printed as not a number.
 *
 * <pre>{@code java -cp benchmarks/target/benchmarks.jar dev.meshguard.benchmarks.Summary results.csv}</pre>
 */
public final class Summary {

    private static final String PACKAGE = "dev.meshguard.benchmarks.";
    private static final int SCORE = 4;
    private static final int FIRST_PARAMETER = 7;
    private static final String CLOCK = "";
    private static final String CPU = "cpu";
    private static final String GARBAGE = "gc.alloc.rate.norm";

    /** A ratio. Each measurement is a benchmark and its parameters. */
    private record Aim(String what, String measured, String reference, double atMost) {}

    private static final List<Aim> AIMS = List.of(
            new Aim(
                    "a pair without origin, 1,024 live, beside a `ConcurrentHashMap` of records",
                    "PairBenchmark.oneThread MESHGUARD 1024",
                    "PairBenchmark.oneThread MAP 1024",
                    1.5),
            new Aim(
                    "a pair with its origin at depth 60, beside a bare `new Throwable()`",
                    "OriginBenchmark.oneThread MESHGUARD_ORIGIN 60",
                    "OriginBenchmark.oneThread STACK_ONLY 60",
                    1.3),
            new Aim(
                    "the same on two threads, each on a device of its own, beside one thread",
                    "OriginBenchmark.twoThreads MESHGUARD_ORIGIN 60",
                    "OriginBenchmark.oneThread MESHGUARD_ORIGIN 60",
                    1.25),
            new Aim(
                    "the same beside Netty at PARANOID",
                    "OriginBenchmark.oneThread MESHGUARD_ORIGIN 60",
                    "OriginBenchmark.oneThread NETTY_PARANOID 60",
                    0.35),
            new Aim(
                    "the same beside Arrow with debug on",
                    "OriginBenchmark.oneThread MESHGUARD_ORIGIN 60",
                    "OriginBenchmark.oneThread ARROW_DEBUG 60",
                    0.08),
            new Aim(
                    "a pair on each of eight devices with origin, one pair of reports, beside Netty at PARANOID",
                    "MeshBenchmark.oneThread MESHGUARD_ORIGIN 60",
                    "MeshBenchmark.oneThread NETTY_PARANOID 60",
                    0.06),
            freeList("100"),
            freeList("10000"),
            freeList("100000"),
            new Aim(
                    "an object with `@TrackCloseables` constructed and closed at depth 60, beside a bare `new Throwable()`",
                    "CloseablesBenchmark.oneThread TRACKED 60",
                    "CloseablesBenchmark.oneThread STACK_ONLY 60",
                    1.2),
            new Aim(
                    "3,000 other classes loaded after a test with `@TrackCloseables`, beside before",
                    "ClassLoadingBenchmark.load true",
                    "ClassLoadingBenchmark.load false",
                    1.2),
            new Aim(
                    "a log of a million lines read, warm, beside regular expressions",
                    "LogBenchmark.meshguard 1000000",
                    "LogBenchmark.regularExpressions 1000000",
                    0.25),
            new Aim(
                    "a million events read from JSON and judged to text, beside reading them alone",
                    "JudgeBenchmark.parseAndJudge",
                    "JudgeBenchmark.parse",
                    1.7));

    private static Aim freeList(String live) {
        return new Aim(
                "a free and an allocation in the fake's allocator with " + live
                        + " live, beside a plain `TreeMap` list",
                "FreeListBenchmark.oneThread MESHGUARD " + live,
                "FreeListBenchmark.oneThread TREE_MAP " + live,
                1.0);
    }

    /** The metrics of each measurement by their names; the time by the clock has none. */
    private final Map<String, Map<String, Double>> measured = new LinkedHashMap<>();

    private Summary() {}

    /** Prints the tables of the given files. */
    public static void main(String... files) throws IOException {
        Summary summary = new Summary();
        for (String file : files) {
            summary.read(Files.readAllLines(Path.of(file)));
        }
        summary.printAims();
        summary.printMeasurements();
    }

    private void read(List<String> lines) {
        for (String line : lines.subList(1, lines.size())) {
            List<String> cells = List.of(line.replace("\"", "").split(",", -1));
            String[] name = cells.get(0).replace(PACKAGE, "").split(":", 2);
            String measurement = Stream.concat(
                            Stream.of(name[0]), cells.subList(FIRST_PARAMETER, cells.size()).stream())
                    .filter(Predicate.not(String::isEmpty))
                    .collect(Collectors.joining(" "));
            measured.computeIfAbsent(measurement, unused -> new LinkedHashMap<>())
                    .put(name.length == 1 ? CLOCK : name[1], Double.valueOf(cells.get(SCORE)));
        }
    }

    private void printAims() {
        System.out.println("| what | CPU | clock | aim |");
        System.out.println("| --- | ---: | ---: | ---: |");
        for (Aim aim : AIMS) {
            System.out.printf(
                    Locale.ROOT,
                    "| %s | %.2fx | %.2fx | %sx |%n",
                    aim.what(),
                    metric(aim.measured(), CPU) / metric(aim.reference(), CPU),
                    metric(aim.measured(), CLOCK) / metric(aim.reference(), CLOCK),
                    aim.atMost());
        }
    }

    private void printMeasurements() {
        System.out.printf("%n| measurement | CPU ns | garbage, B | clock |%n");
        System.out.println("| --- | ---: | ---: | ---: |");
        measured.keySet()
                .forEach(one -> System.out.printf(
                        Locale.ROOT,
                        "| %s | %,.1f | %,.0f | %,.1f |%n",
                        one,
                        metric(one, CPU),
                        metric(one, GARBAGE),
                        metric(one, CLOCK)));
    }

    /** Returns a metric; not a number if the files have none. */
    private double metric(String measurement, String metric) {
        return measured.getOrDefault(measurement, Map.of()).getOrDefault(metric, Double.NaN);
    }
}
