package dev.meshguard.benchmarks;

import dev.meshguard.server.log.AllocationLogReader;
import dev.meshguard.server.log.ParsedLog;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Measures reading the log of a server, compared with regular expressions that keep the same data as tt-metal's
 * script.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 4, time = 3)
@Measurement(iterations = 4, time = 3)
@Fork(
        value = 1,
        jvmArgsAppend = {"-Xms2g", "-Xmx2g"})
@State(Scope.Thread)
public class LogBenchmark {

    private static final String ID = "(0x[0-9a-fA-F]+|\\d+)";
    private static final Pattern ALLOCATED =
            Pattern.compile("\\[PID (\\d+)\\] Allocated (\\d+) bytes of (\\w+) on device (\\d+)" + " \\(buffer_id=" + ID
                    + "(?:, ref_count=(\\d+))?\\)");
    private static final Pattern FREED = Pattern.compile("\\[PID (\\d+)\\] Freed buffer " + ID
            + " on device (\\d+) \\((\\d+) bytes(?:, (FINAL|ref_count=(\\d+) remaining))?\\)");
    private static final Pattern UNKNOWN =
            Pattern.compile("\\[PID (\\d+)\\] Deallocation for unknown buffer " + ID + " on device (\\d+)");

    private record Key(int device, long id) {}

    private record Event(long line, boolean isAllocation, long size, String text) {}

    /** How many lines are read. */
    @Param("1000000")
    public long lines = 1_000_000;

    private Path file = Path.of("server.log");

    /** Writes the log. */
    @Setup
    public void write() throws IOException {
        file = GeneratedServerLog.write(lines);
    }

    /** Removes the log. */
    @TearDown
    public void delete() throws IOException {
        Files.delete(file);
    }

    /** Reads it. */
    @Benchmark
    public ParsedLog meshguard() throws IOException {
        return AllocationLogReader.create().read(file);
    }

    /** Reads it as tt-metal's script does. */
    @Benchmark
    public Object regularExpressions() throws IOException {
        Map<Key, List<Event>> events = new HashMap<>();
        try (BufferedReader log = Files.newBufferedReader(file)) {
            long number = 0;
            for (String line = log.readLine(); line != null; line = log.readLine()) {
                number++;
                Matcher found = ALLOCATED.matcher(line);
                if (found.find()) {
                    add(events, found.group(4), found.group(5), number, true, found.group(2), line);
                    continue;
                }
                found = FREED.matcher(line);
                if (found.find()) {
                    add(events, found.group(3), found.group(2), number, false, found.group(4), line);
                    continue;
                }
                found = UNKNOWN.matcher(line);
                if (found.find()) {
                    add(events, found.group(3), found.group(2), number, false, "0", line);
                }
            }
        }
        return events;
    }

    private static void add(
            Map<Key, List<Event>> events,
            String device,
            String id,
            long line,
            boolean isAllocation,
            String size,
            String text) {
        long number = id.startsWith("0x") ? Long.parseUnsignedLong(id.substring(2), 16) : Long.parseUnsignedLong(id);
        events.computeIfAbsent(new Key(Integer.parseInt(device), number), unused -> new ArrayList<>())
                .add(new Event(line, isAllocation, Long.parseLong(size), text));
    }
}
