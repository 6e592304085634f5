package dev.meshguard.junit.internal;

import dev.meshguard.junit.internal.summary.RunSummaryCollector;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/**
 * The output of a run beside its failures: numbers at its end, and files for reports.
 *
 * <p>Safe for use by several threads.
 */
public final class Reporting {

    /** Limits the disk space of a broken build; the first failures give enough information. */
    static final int MAX_TESTS_WITH_FILES = 50;

    private final boolean attachesFiles;
    private final TextLength textLength;
    private final RunSummaryCollector numbers;
    private final Optional<HistoryFolder> histories;
    private final Optional<FindingsFile> findings;
    private final RunPages pages;
    private final AtomicInteger testsWithFiles = new AtomicInteger();

    /**
     * Creates the output without histories, findings and pages.
     *
     * @param nanoTime the clock by which checks are timed; only differences count
     */
    public Reporting(ReportSettings settings, LongSupplier nanoTime) {
        this(settings, Optional.empty(), Optional.empty(), RunPages.none(), nanoTime);
    }

    /**
     * Creates the output with histories, findings and pages.
     *
     * @param histories the folder of histories, if configured
     * @param findings the file of findings, if configured
     * @param pages the pages of the run
     * @param nanoTime the clock by which checks are timed; only differences count
     */
    public Reporting(
            ReportSettings settings,
            Optional<HistoryFolder> histories,
            Optional<FindingsFile> findings,
            RunPages pages,
            LongSupplier nanoTime) {
        this.attachesFiles = settings.attachesFiles();
        this.textLength = settings.text();
        this.histories = histories;
        this.findings = findings;
        this.pages = pages;
        this.numbers = new RunSummaryCollector(settings.summary(), nanoTime);
    }

    /** Returns the length of the text of a failure. */
    public TextLength textLength() {
        return textLength;
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

    /** Returns the numbers, to which each check is added. */
    public RunSummaryCollector numbers() {
        return numbers;
    }

    /** Returns the number of the next test that attaches files, from 1; empty if it must not. */
    public OptionalInt nextWithFiles() {
        if (!attachesFiles) {
            return OptionalInt.empty();
        }
        int number = testsWithFiles.incrementAndGet();
        return number <= MAX_TESTS_WITH_FILES ? OptionalInt.of(number) : OptionalInt.empty();
    }
}
