package dev.meshguard.benchmarks;

import dev.meshguard.history.AllocationHistory;
import dev.meshguard.report.VerdictReport;
import dev.meshguard.report.json.HistoryJson;
import dev.meshguard.verdict.LeakCheck;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** Measures reading a history from its file, and the same with the text of its verdict; with a heap of 512 MiB. */
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 5)
@Measurement(iterations = 5)
@Fork(
        value = 2,
        jvmArgsAppend = {"-Xms512m", "-Xmx512m"})
@State(Scope.Thread)
public class JudgeBenchmark {

    private Path file = Path.of("history.jsonl");

    /** Writes the history down. */
    @Setup
    public void write() throws IOException {
        file = Files.createTempFile("history", ".jsonl");
        HistoryJson.write(JudgedHistory.create(), file);
    }

    /** Removes the file. */
    @TearDown
    public void delete() throws IOException {
        Files.delete(file);
    }

    /** Reads the file. */
    @Benchmark
    public AllocationHistory parse() throws IOException {
        return HistoryJson.read(file);
    }

    /** Reads the file, judges and puts into words. A history keeps what it found out, so each is judged once. */
    @Benchmark
    public String parseAndJudge() throws IOException {
        return VerdictReport.of(LeakCheck.create().examine(parse())).text();
    }
}
