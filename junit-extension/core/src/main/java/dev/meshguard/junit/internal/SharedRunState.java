package dev.meshguard.junit.internal;

import dev.meshguard.event.Quantities;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.junit.internal.RunSettings.Update;
import dev.meshguard.junit.internal.thread.UnattributedReports;
import dev.meshguard.junit.source.SourceSettings;
import dev.meshguard.report.findings.EntryUse;
import dev.meshguard.tracker.OriginCapture;
import dev.meshguard.tracker.internal.DetailLoggers;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Outcome;
import dev.meshguard.verdict.baseline.Baseline;
import dev.meshguard.verdict.baseline.BaselineFile;
import dev.meshguard.verdict.expectation.Expectation;
import dev.meshguard.verdict.expectation.ExpectationResult;
import dev.meshguard.verdict.expectation.ExpectedBuffers;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.opentest4j.AssertionFailedError;
import org.slf4j.Logger;

/**
 * The state that all tests of one run in one JVM share: expected buffers, baseline, the entries that matched, and the trackers of
 * tests that have ended.
 *
 * <p>A value of the root context's store. An error while closing it fails the engine, and with it a Maven build. Errors
 * of the stores of requests and sessions are ignored there (Surefire 3.6.1).
 *
 * <p>Safe for use by several threads.
 */
public final class SharedRunState implements StoredResource {

    private static final Logger logger = DetailLoggers.of(SharedRunState.class);

    private final RunSettings settings;
    private final ExpectedBuffers expected;
    private final @Nullable Baseline baseline;
    private final Reporting reporting;
    private final EntryUsage entries = new EntryUsage();
    private final UnattributedReports unattributed = new UnattributedReports();
    private final Map<String, SourceSettings> sourcesOfThreads = new ConcurrentHashMap<>();
    private final KeptTrackers keptTrackers = new KeptTrackers();

    private SharedRunState(
            RunSettings settings, ExpectedBuffers expected, @Nullable Baseline baseline, Reporting reporting) {
        this.settings = settings;
        this.expected = expected;
        this.baseline = baseline;
        this.reporting = reporting;
    }

    /**
     * Creates the state of one execution.
     *
     * @param reporting receives the checks while they run
     * @throws IllegalArgumentException if a file is missing or malformed, or the findings of a named run cannot be written
     */
    public static SharedRunState begin(RunSettings settings, Reporting reporting) {
        try {
            ExpectedBuffers expected = settings.expectedBuffers().isPresent()
                    ? load(settings.expectedBuffers().get(), ConfigurationKey.EXPECTED_BUFFERS.key())
                    : ExpectedBuffers.none();
            Baseline baseline = settings.baseline().isPresent() ? baseline(settings) : null;
            SharedRunState state = new SharedRunState(settings, expected, baseline, reporting);
            reporting.findings().flatMap(FindingsFile::begin).ifPresent(settings::rejectUnwritten);
            state.expect(expected);
            return state;
        } catch (IOException exception) {
            throw new UncheckedIOException(exception);
        }
    }

    /**
     * Reads a file of expected buffers.
     *
     * @param where the location that names the file, for the message
     * @throws IllegalArgumentException if it is missing or malformed
     */
    public static ExpectedBuffers load(Path path, String where) throws IOException {
        if (!Files.isRegularFile(path)) {
            throw ConfigurationErrors.ofParameter(
                    where,
                    path.toString(),
                    "There is no such file: " + path.toAbsolutePath().normalize() + ".");
        }
        return ExpectedBuffers.load(path);
    }

    private static Baseline baseline(RunSettings settings) throws IOException {
        BaselineFile file = new BaselineFile(settings.baseline().orElseThrow());
        if (!file.exists() && !settings.writes(Update.ACCEPT)) {
            throw ConfigurationKey.BASELINE.rejected(
                    settings.baseline().get().toString(),
                    "There is no such file: " + file.path() + ". Make it with -D"
                            + ConfigurationKey.BASELINE_UPDATE.key()
                            + "=accept, not where CI is set, and check it in.");
        }
        return file.read();
    }

    /** Returns the buffers that are expected in every test. */
    public ExpectedBuffers expected() {
        return expected;
    }

    /** Returns the known leaks, if there is a baseline. */
    public Optional<Baseline> baseline() {
        return Optional.ofNullable(baseline);
    }

    /** Returns the receiver of the checks. */
    public Reporting reporting() {
        return reporting;
    }

    /** Returns the receiver of reports by threads that work for no test. */
    public UnattributedReports unattributed() {
        return unattributed;
    }

    /** Receives what threads that work for no test report of a source. */
    public void receive(SourceSettings source, OriginCapture origins) {
        sourcesOfThreads.putIfAbsent(source.source().id(), source);
        unattributed.receive(source.source().id(), origins);
    }

    /** Returns the settings of the sources that such threads reported. */
    public List<SourceSettings> sourcesOfThreads() {
        return unattributed.reporting().stream().map(sourcesOfThreads::get).toList();
    }

    /** Returns the trackers of ended tests. */
    public KeptTrackers keptTrackers() {
        return keptTrackers;
    }

    /** Returns the summary of the run as an entry for reports, if it is to be printed. */
    public synchronized Optional<Map<String, String>> summary() {
        return reporting
                .summary()
                .text(description(entries.matched()), description(entries.unmatched()), unjudged())
                .map(text -> Map.of(ConfigurationKey.SUMMARY.key(), text));
    }

    /**
     * Returns a sentence about what this JVM cannot judge, because others may run tests of the run too. The build may lack the
     * call of {@code RunVerifier}; without the sentence, stale entries would then be ignored silently.
     */
    public synchronized Optional<String> unjudged() {
        int unmatched = entries.unmatched().size();
        int gone = baseline == null ? 0 : entries.gone(baseline).size();
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

    private static List<String> description(List<Expectation> entries) {
        return entries.stream().map(EntryUsage::description).toList();
    }

    /** Adds entries that must match somewhere in the run: those of another file, and those of annotations. */
    public synchronized void expect(ExpectedBuffers more) {
        add(EntryUse.EXPECTED, more.entries());
    }

    /** Records that a test failed, was aborted or is disabled, so that its survivors are unknown. */
    public synchronized void excuse(ExpectedBuffers ofTest) {
        add(EntryUse.EXCUSED, ofTest.entries());
    }

    /** Adds the verdict of one check. */
    public synchronized void add(LeakVerdict verdict) {
        List<Expectation> matched = verdict.expectations().stream()
                .filter(result -> !result.neverMatched())
                .map(ExpectationResult::expectation)
                .toList();
        add(EntryUse.MATCHED, matched);
        if (baseline != null) {
            Baseline leaks = Baseline.of(verdict);
            if (entries.find(leaks)) {
                reporting.findings().ifPresent(file -> file.add(leaks));
            }
        }
    }

    private void add(EntryUse use, List<Expectation> more) {
        List<Expectation> news = entries.add(use, more);
        reporting.findings().ifPresent(file -> file.add(use, news));
    }

    /** Returns whether all findings of a verdict are in the baseline, or are added to it now. */
    public boolean covers(LeakVerdict verdict) {
        if (baseline == null) {
            return false;
        }
        Baseline known = settings.writes(Update.ACCEPT) ? Baseline.of(verdict) : baseline;
        return known.covers(verdict);
    }

    /** Returns whether the baseline has all of these survivors within its counts, or they are added to it now. */
    public boolean covers(List<BufferGeneration> survivors) {
        return baseline != null && (settings.writes(Update.ACCEPT) || baseline.covers(survivors));
    }

    /** Updates the baseline; if this JVM runs the whole run, judges it. Fails for what was reported to trackers of ended tests. */
    @Override
    public synchronized void close() throws IOException {
        Optional<AssertionFailedError> late = keptTrackers.finding(expected);
        try {
            closeRun();
        } catch (IOException | RuntimeException | Error failure) {
            late.ifPresent(failure::addSuppressed);
            throw failure;
        }
        if (late.isPresent()) {
            throw late.get();
        }
    }

    private void closeRun() throws IOException {
        if (settings.writes(Update.ACCEPT)) {
            new BaselineFile(settings.baseline().orElseThrow()).update(before -> before.and(entries.found()));
        }
        if (settings.run().isEmpty() || settings.judgedFindings().isPresent()) {
            return;
        }
        RunResult result = RunResult.of(settings, entries, "1 JVM");
        if (result.outcome() != Outcome.EXPECTED_ONLY) {
            throw result.failure();
        }
        logger.info("{}", result.text());
    }
}
