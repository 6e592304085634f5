package dev.meshguard.junit.internal;

import dev.meshguard.junit.internal.summary.RunSummaryCollector;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The output of a run beside its failures: numbers at its end, histories for reports, findings and pages.
 *
 * <p>Safe for use by several threads.
 */
public final class Reporting {

    /** Limits the disk space of a broken build; the first failures give enough information. */
    static final int MAX_ATTACHED_HISTORIES = 50;

    private final boolean attachesHistories;
    private final Map<String, String> environment;
    private final RunSummaryCollector summary;
    private final Optional<HistoryFolder> histories;
    private final Optional<FindingsFile> findings;
    private final RunPages pages;
    private final AtomicInteger attachedHistories = new AtomicInteger();

    /**
     * Creates the output.
     *
     * @param environment the environment variables of the process
     * @param properties returns the value of a system property; build tools number their JVMs in them
     * @param began when the JVM began its tests
     * @param nanoTime the clock by which checks are timed; only differences count
     */
    public Reporting(
            OutputSettings settings,
            RunSettings run,
            Map<String, String> environment,
            Function<String, @Nullable String> properties,
            Instant began,
            LongSupplier nanoTime) {
        this.attachesHistories = settings.attachesHistories();
        this.environment = Map.copyOf(environment);
        this.histories = settings.record().map(HistoryFolder::new);
        this.findings = FindingsFile.of(run, began);
        this.pages = new RunPages(
                settings, run.ci().machine(), properties, began.toEpochMilli(), Reporting.class.getClassLoader());
        this.summary = new RunSummaryCollector(settings.summary(), nanoTime);
    }

    /** Returns the folder of histories, if configured. */
    public Optional<HistoryFolder> histories() {
        return histories;
    }

    /** Returns the file of findings, if configured. */
    public Optional<FindingsFile> findings() {
        return findings;
    }

    /** Returns the pages of the run. */
    public RunPages pages() {
        return pages;
    }

    /** Returns the summary, to which each check is added. */
    public RunSummaryCollector summary() {
        return summary;
    }

    /** Returns whether the next failure attaches its history. */
    public boolean attachesNextHistory() {
        return attachesHistories && attachedHistories.incrementAndGet() <= MAX_ATTACHED_HISTORIES;
    }

    /** Prints the line by which servers find an attached file. */
    public void announce(Path file) {
        System.out.println(AttachmentLine.of(file, environment));
    }
}
