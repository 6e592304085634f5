package dev.meshguard.junit.internal.run;

import dev.meshguard.history.BufferGeneration;
import dev.meshguard.junit.internal.BaselineUpdate;
import dev.meshguard.junit.internal.ConfigurationErrors;
import dev.meshguard.junit.internal.ConfigurationKey;
import dev.meshguard.junit.internal.OutputSettings;
import dev.meshguard.junit.internal.RunSettings;
import dev.meshguard.junit.internal.StoredResource;
import dev.meshguard.junit.internal.summary.RunSummaryCollector;
import dev.meshguard.junit.internal.thread.UnattributedReports;
import dev.meshguard.junit.source.SourceSettings;
import dev.meshguard.report.findings.EntryUse;
import dev.meshguard.text.Quantities;
import dev.meshguard.tracker.OriginCapture;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Outcome;
import dev.meshguard.verdict.baseline.Baseline;
import dev.meshguard.verdict.baseline.BaselineFile;
import dev.meshguard.verdict.expectation.ExpectationResult;
import dev.meshguard.verdict.expectation.ExpectedBuffers;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The state that all tests of one run in one JVM share: what it expects, what was found, and where that is written.
 *
 * <p>A value of the root context's store. An error while closing it fails the engine, and with it a Maven build. Errors
 * of the stores of requests and sessions are ignored there (Surefire 3.6.1).
 *
 * <p>Safe for use by several threads.
 */
public final class SharedRunState implements StoredResource {

    /** Limits the disk space of a broken build; the first failures give enough information. */
    private static final int MAX_ATTACHED_HISTORIES = 50;

    private final RunSettings settings;
    private final ExpectedBuffers expected;
    private final @Nullable Baseline baseline;
    private final Consumer<Map<String, String>> reports;
    private final boolean attachesHistories;
    private final RunSummaryCollector summary;
    private final Optional<HistoryFolder> histories;
    private final Optional<FindingsFile> findings;
    private final RunPages pages;
    private final AtomicInteger attachedHistories = new AtomicInteger();
    private final RunTally entries = new RunTally();
    private final UnattributedReports unattributed = new UnattributedReports();
    private final Map<String, SourceSettings> sourcesOfThreads = new ConcurrentHashMap<>();
    private final KeptTrackers keptTrackers = new KeptTrackers();
    private final FreesAfterCheck freesAfterCheck = new FreesAfterCheck();
    private final UnexaminedMeshes unexaminedMeshes = new UnexaminedMeshes();
    private final EndedMethods endedMethods = new EndedMethods();

    private StoredResource otherThreads = unattributed::end;

    private boolean checksMemoryOfNobody;

    /** The judgement at the end of the run, for a reader of a run that does not fail. */
    private Optional<String> judged = Optional.empty();

    /**
     * Creates the state of one execution.
     *
     * @param began when the JVM began its tests
     * @param reports publishes key-value pairs as a report entry of the run
     * @throws IllegalArgumentException if a file is missing or malformed, or the findings of a named run cannot be written
     */
    public SharedRunState(
            RunSettings settings, OutputSettings output, Instant began, Consumer<Map<String, String>> reports) {
        this.settings = settings;
        this.reports = reports;
        this.expected = settings.expectedBuffers().isPresent()
                ? load(settings.expectedBuffers().get(), ConfigurationKey.EXPECTED_BUFFERS.key())
                : ExpectedBuffers.none();
        this.baseline = settings.baseline().isPresent() ? baseline(settings) : null;
        this.attachesHistories = output.attachesHistories();
        this.summary = new RunSummaryCollector(output.summary());
        this.histories = output.record().map(HistoryFolder::new);
        this.findings = FindingsFile.of(settings, began);
        this.pages = new RunPages(
                output,
                settings.ci().machine(),
                System::getProperty,
                began.toEpochMilli(),
                SharedRunState.class.getClassLoader());
        findings.flatMap(FindingsFile::begin).ifPresent(settings::rejectUnwritten);
        expect(expected);
    }

    /**
     * Reads a file of expected buffers.
     *
     * @param where the location that names the file, for the message
     * @throws IllegalArgumentException if it is missing or malformed, or cannot be read
     */
    public static ExpectedBuffers load(Path path, String where) {
        if (!Files.isRegularFile(path)) {
            throw ConfigurationErrors.ofParameter(
                    where,
                    path.toString(),
                    "There is no such file: " + path.toAbsolutePath().normalize() + ".");
        }
        try {
            return ExpectedBuffers.load(path);
        } catch (IOException unreadable) {
            throw ConfigurationErrors.ofParameter(where, path.toString(), "It cannot be read: " + unreadable + ".");
        }
    }

    private static Baseline baseline(RunSettings settings) {
        BaselineFile file = new BaselineFile(settings.baseline().orElseThrow());
        if (!file.exists() && !settings.writes(BaselineUpdate.ACCEPT)) {
            throw ConfigurationKey.BASELINE.rejected(
                    settings.baseline().get().toString(),
                    "There is no such file: " + file.path() + ". Make it with -D"
                            + ConfigurationKey.BASELINE_UPDATE.key()
                            + "=accept, not where CI is set, and check it in.");
        }
        try {
            return file.read();
        } catch (IOException unreadable) {
            throw ConfigurationKey.BASELINE.rejected(
                    settings.baseline().get().toString(), "It cannot be read: " + unreadable + ".");
        }
    }

    /** Returns the buffers that are expected in every test. */
    public ExpectedBuffers expected() {
        return expected;
    }

    /** Returns the known leaks, if there is a baseline. */
    public Optional<Baseline> baseline() {
        return Optional.ofNullable(baseline);
    }

    /** Returns the summary, to which each check is added. */
    public RunSummaryCollector summary() {
        return summary;
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

    /** Returns whether the next failure attaches its history. */
    public boolean attachesNextHistory() {
        return attachesHistories && attachedHistories.incrementAndGet() <= MAX_ATTACHED_HISTORIES;
    }

    /** Returns the receiver of reports by threads that work for no test. */
    public UnattributedReports unattributed() {
        return unattributed;
    }

    /**
     * Sets the check of reports by threads that work for no test; it is made before the run is judged.
     *
     * @param canFail whether it demands anything
     */
    public void checkFirst(StoredResource check, boolean canFail) {
        otherThreads = check;
        checksMemoryOfNobody = canFail;
    }

    /** Returns whether survivors that belong to no test are a finding. */
    public boolean checksMemoryOfNobody() {
        return checksMemoryOfNobody;
    }

    /** Receives what threads that work for no test report of a source. */
    public void receive(SourceSettings source, OriginCapture origins) {
        sourcesOfThreads.putIfAbsent(source.source().id(), source);
        unattributed.receive(source.source().id(), origins);
    }

    /** Returns the settings of those of the sources that report from threads. */
    public List<SourceSettings> sources(List<String> ids) {
        return ids.stream()
                .flatMap(id -> Stream.ofNullable(sourcesOfThreads.get(id)))
                .toList();
    }

    /** Returns the meshes on trackers that no test checks. */
    public UnexaminedMeshes unexaminedMeshes() {
        return unexaminedMeshes;
    }

    /** Returns the failures whose buffers may be freed after the check. */
    public FreesAfterCheck freesAfterCheck() {
        return freesAfterCheck;
    }

    /** Returns the trackers of ended tests. */
    public KeptTrackers keptTrackers() {
        return keptTrackers;
    }

    /**
     * Returns a sentence about what this JVM cannot judge, because others may run tests of the run too. The build may lack the
     * call of {@code RunVerifier}; without the sentence, stale entries would then be ignored silently.
     */
    synchronized Optional<String> unjudged() {
        int unmatched = entries.unmatched().size();
        int gone = baseline == null ? 0 : entries.notFound(baseline).size();
        List<String> parts = new ArrayList<>();
        if (unmatched > 0) {
            parts.add(Quantities.count(unmatched, "expectation"));
        }
        if (gone > 0) {
            parts.add(Quantities.count(gone, "known leak"));
        }
        return settings.judgedFindings()
                .filter(unused -> !parts.isEmpty())
                .map(folder -> String.format(
                        Locale.ROOT,
                        "The run %s is not judged yet: %s %s for RunVerifier over %s (docs/baseline.md)",
                        settings.run().orElseThrow(),
                        String.join(" and ", parts),
                        unmatched + gone == 1 ? "waits" : "wait",
                        folder));
    }

    /** Adds entries that must match somewhere in the run: those of files, and those of annotations. */
    public synchronized void expect(ExpectedBuffers more) {
        entries.add(EntryUse.EXPECTED, more.entries());
    }

    /** Records that a test failed, was aborted or is disabled, so that its survivors are unknown. */
    public synchronized void excuse(String test, ExpectedBuffers ofTest) {
        entries.add(EntryUse.EXCUSED, ofTest.entries());
        entries.add(test, false);
    }

    /** Returns the test methods that have ended. */
    public EndedMethods endedMethods() {
        return endedMethods;
    }

    /** Records whether a check of a test, class or run would have found each leak. */
    public synchronized void checked(String test, boolean isCompleted) {
        entries.add(test, isCompleted);
    }

    /**
     * Adds the verdict of one check.
     *
     * @param test returns the name of the test or class; empty if any test of the run may have made the leaks
     */
    public synchronized void add(LeakVerdict verdict, Supplier<Optional<String>> test) {
        for (ExpectationResult result : verdict.expectations()) {
            if (!result.neverMatched()) {
                entries.add(EntryUse.MATCHED, List.of(result.expectation()));
            }
        }
        if (baseline != null) {
            Baseline ofCheck = Baseline.of(verdict);
            entries.find(test.get().map(ofCheck::foundBy).orElse(ofCheck));
        }
    }

    /** Returns whether all findings of a verdict are in the baseline, or are added to it now. */
    public boolean covers(LeakVerdict verdict) {
        if (baseline == null) {
            return false;
        }
        Baseline known = settings.writes(BaselineUpdate.ACCEPT) ? Baseline.of(verdict) : baseline;
        return known.covers(verdict);
    }

    /** Returns whether the baseline has all of these survivors within its counts, or they are added to it now. */
    public boolean covers(List<BufferGeneration> survivors) {
        return baseline != null && (settings.writes(BaselineUpdate.ACCEPT) || baseline.covers(survivors));
    }

    /** Judges what no single test can; then publishes the numbers, and ends the files. */
    @Override
    public void close() throws IOException {
        // Unlike finally, this keeps the errors of all. The last one is closed first.
        try (Closeable published = this::publish;
                Closeable kept = this::checkKeptTrackers;
                Closeable judgement = this::judge) {
            otherThreads.close();
        }
    }

    private void publish() {
        List<String> notWritten = pages.finish();
        notWritten.stream()
                .findFirst()
                .map(first -> notWritten.size() == 1 ? first : first + ", and " + (notWritten.size() - 1) + " more")
                .ifPresent(summary::note);
        unexaminedMeshes.note().ifPresent(summary::note);
        summaryText().ifPresent(text -> reports.accept(Map.of(ConfigurationKey.SUMMARY.key(), text)));
        List<String> notices = new ArrayList<>(wholeRun().stream().toList());
        notices.addAll(notWritten);
        notices.addAll(endFindings());
        notices.forEach(notice -> reports.accept(Map.of("meshguard", notice)));
    }

    private synchronized Optional<String> summaryText() {
        summary.addUntracked(unattributed.untracked(), unattributed.lacksListener());
        List<String> unmatched =
                entries.unmatched().stream().map(RunTally::description).toList();
        return summary.text(entries.matched(), unmatched, wholeRun(), pages.overview());
    }

    private synchronized List<String> endFindings() {
        return findings.map(file -> file.end(entries)).orElseGet(List::of);
    }

    private synchronized Optional<String> wholeRun() {
        return unjudged().or(() -> judged);
    }

    /** Fails for what was reported to trackers of ended tests. */
    private void checkKeptTrackers() {
        keptTrackers.finding(expected).ifPresent(late -> {
            throw late;
        });
    }

    /** Updates the baseline; if this JVM runs the whole run, judges it. */
    private synchronized void judge() throws IOException {
        if (settings.writes(BaselineUpdate.ACCEPT)) {
            settings.updateBaseline(before -> before.and(entries.found()));
        }
        if (settings.run().isEmpty() || settings.judgedFindings().isPresent()) {
            return;
        }
        RunResult result = RunResult.of(settings, entries, "1 JVM");
        if (result.outcome() != Outcome.EXPECTED_ONLY) {
            throw result.failure();
        }
        judged = result.notice();
    }
}
