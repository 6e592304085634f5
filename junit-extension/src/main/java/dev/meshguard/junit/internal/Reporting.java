package dev.meshguard.junit.internal;

import dev.meshguard.junit.internal.pages.RunPages;
import dev.meshguard.junit.internal.summary.RunStatistics;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/**
 * What a run says beside its failures: numbers at its end, and files for reports.
 *
 * <p>Safe for use by several threads.
 */
public final class Reporting {

    /** With more, the first of them say enough, and a broken build must not fill a disk. */
    static final int MAX_TESTS_WITH_FILES = 50;

    private final boolean attachesFiles;
    private final RunStatistics numbers;
    private final Optional<HistoryFolder> histories;
    private final RunPages pages;
    private final AtomicInteger testsWithFiles = new AtomicInteger();

    /**
     * Begins to report.
     *
     * @param nanoTime the clock by which checks are timed; only differences count
     */
    public Reporting(ReportSettings settings, LongSupplier nanoTime) {
        this(settings, Optional.empty(), RunPages.none(), nanoTime);
    }

    /**
     * Begins to report, and to keep histories and pages.
     *
     * @param histories where histories go, if they are wanted
     * @param pages where pages go
     * @param nanoTime the clock by which checks are timed; only differences count
     */
    public Reporting(
            ReportSettings settings, Optional<HistoryFolder> histories, RunPages pages, LongSupplier nanoTime) {
        this.attachesFiles = settings.attachesFiles();
        this.histories = histories;
        this.pages = pages;
        this.numbers = new RunStatistics(settings.summary(), nanoTime);
    }

    /** Returns where histories go, if they are wanted. */
    public Optional<HistoryFolder> histories() {
        return histories;
    }

    /** Returns where pages go. */
    public RunPages pages() {
        return pages;
    }

    /** Returns the numbers, to which each check is added. */
    public RunStatistics numbers() {
        return numbers;
    }

    /** Returns the number of the next test that attaches files, from 1; nothing if it may not. */
    public OptionalInt nextWithFiles() {
        if (!attachesFiles) {
            return OptionalInt.empty();
        }
        int number = testsWithFiles.incrementAndGet();
        return number <= MAX_TESTS_WITH_FILES ? OptionalInt.of(number) : OptionalInt.empty();
    }
}
