package dev.meshguard.benchmarks;

import dev.meshguard.history.AllocationHistory;
import dev.meshguard.page.RunPage;
import dev.meshguard.report.VerdictReport;
import dev.meshguard.verdict.LeakCheck;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
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
 * Measures the way from a recorded history to the file of its page, verdict included. Each measurement uses a new JVM, as for a
 * failing test. Prints the length of the file.
 */
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 0)
@Measurement(iterations = 1)
@Fork(
        value = 3,
        jvmArgsAppend = {"-Xmx1g"})
@State(Scope.Thread)
public class PageBenchmark {

    /** What is on the page. */
    @Param
    public JudgedHistory what = JudgedHistory.MILLION_EVENTS;

    private Path page = Path.of("page.html");
    private AllocationHistory history = JudgedHistory.TEN_THOUSAND_LEAKS.history();

    /** A history is only judged once: it keeps what it found out. */
    @Setup(Level.Invocation)
    public void record() throws IOException {
        page = Files.createTempFile("page", ".html");
        history = what.history();
    }

    /** Says how long the file is, and removes it. */
    @TearDown(Level.Invocation)
    public void delete() throws IOException {
        System.out.printf(Locale.ROOT, "%n%s: %,d bytes%n", what, Files.size(page));
        Files.delete(page);
    }

    /** Judges and writes the page. */
    @Benchmark
    public void write() throws IOException {
        RunPage.of(what.name(), VerdictReport.of(LeakCheck.create().examine(history)))
                .write(page);
    }
}
