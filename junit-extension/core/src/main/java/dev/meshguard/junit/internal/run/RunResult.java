package dev.meshguard.junit.internal.run;

import dev.meshguard.junit.internal.BaselineUpdate;
import dev.meshguard.junit.internal.ConfigurationKey;
import dev.meshguard.junit.internal.PlaceToOpen;
import dev.meshguard.junit.internal.RunSettings;
import dev.meshguard.report.findings.JvmFindings;
import dev.meshguard.text.PrintableText;
import dev.meshguard.text.Quantities;
import dev.meshguard.verdict.Outcome;
import dev.meshguard.verdict.baseline.Baseline;
import dev.meshguard.verdict.baseline.BaselineEntry;
import dev.meshguard.verdict.baseline.BaselineFile;
import dev.meshguard.verdict.expectation.Expectation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import org.opentest4j.AssertionFailedError;

/**
 * The result of a whole run, beyond its tests: entries that matched nothing, known leaks that are gone, killed JVMs.
 *
 * @param outcome {@code EXPECTED_ONLY} if the run matches its files, {@code STALE_EXPECTATION} if a file is stale,
 *     {@code INCONCLUSIVE} if a part of the run is missing
 * @param text the printed text
 * @param place the place to open, if the run fails
 */
public record RunResult(Outcome outcome, String text, Optional<StackTraceElement> place) {

    private static final int MAX_LINES = 12;
    private static final String INDENT = "   ";

    /** Returns the error of a run that fails; its only frame is the place to open. */
    public AssertionFailedError failure() {
        AssertionFailedError failure = new AssertionFailedError(text);
        failure.setStackTrace(new StackTraceElement[] {place.orElseThrow()});
        return failure;
    }

    /** Judges the findings files of a run. */
    public static RunResult of(RunSettings settings) throws IOException {
        Path folder = settings.judgedFindings()
                .orElseThrow(() -> new IllegalArgumentException(
                        "Name the run with " + ConfigurationKey.RUN.key() + " and the folder of its findings with "
                                + ConfigurationKey.FINDINGS.key() + ", as for the tests."));
        String run = settings.run().orElseThrow();
        List<JvmFindings> files = new ArrayList<>();
        for (Path file : FindingsFile.ofRun(run, folder)) {
            JvmFindings.read(file, run).ifPresent(files::add);
        }
        if (files.isEmpty()) {
            return new RunResult(
                    Outcome.INCONCLUSIVE,
                    String.format(
                            Locale.ROOT,
                            "INCONCLUSIVE  %s has no findings file of run %s: no test used MeshGuard, or the tests were not given the"
                                    + " same %s and %s",
                            folder,
                            run,
                            ConfigurationKey.FINDINGS.key(),
                            ConfigurationKey.RUN.key()),
                    Optional.of(PlaceToOpen.file("findings", folder.toString())));
        }
        List<JvmFindings> cutOff =
                files.stream().filter(file -> !file.isComplete()).toList();
        if (!cutOff.isEmpty()) {
            return inconclusive(cutOff, files.size());
        }
        RunTally entries = new RunTally();
        files.forEach(entries::add);
        return of(settings, entries, Quantities.count(files.size(), "findings file"));
    }

    private static RunResult inconclusive(List<JvmFindings> cutOff, int files) {
        List<String> lines = new ArrayList<>();
        lines.add(String.format(
                Locale.ROOT,
                "INCONCLUSIVE  %d of %s %s no end: a JVM was killed, could not write, or ended without closing its tests",
                cutOff.size(),
                Quantities.count(files, "findings file"),
                cutOff.size() == 1 ? "has" : "have"));
        lines.addAll(listed(cutOff.stream().map(part -> part.file().toString())));
        lines.add(
                "Whether an expectation matched nothing, or a known leak is gone, cannot be known. Run the tests again.");
        return new RunResult(
                Outcome.INCONCLUSIVE,
                PrintableText.lines(lines),
                Optional.of(PlaceToOpen.file("findings", cutOff.get(0).file().toString())));
    }

    /** Judges entries that are certainly those of a whole run, and writes the baseline if requested. */
    public static RunResult of(RunSettings settings, RunTally entries, String sources) throws IOException {
        List<String> lines = new ArrayList<>();
        List<Expectation> unmatched = entries.unmatched();
        if (!unmatched.isEmpty()) {
            lines.add(String.format(
                    Locale.ROOT,
                    "STALE  %d of %s matched nothing in the whole run      [%s]",
                    unmatched.size(),
                    Quantities.count(entries.expected(), "expectation"),
                    sources));
            lines.addAll(listed(unmatched.stream().map(RunTally::description)));
            lines.add("Remove entries that match nothing any more; an unneeded entry hides the next leak.");
        }
        List<Expectation> unknown = entries.unknown();
        Baseline known = settings.baseline().isPresent()
                ? new BaselineFile(settings.baseline().get()).read()
                : Baseline.empty();
        List<BaselineEntry> undecided = new ArrayList<>(entries.notFound(known));
        List<BaselineEntry> fixed = undecided.stream().filter(entries::isJudged).toList();
        undecided.removeAll(fixed);
        boolean isShrunk = settings.writes(BaselineUpdate.SHRINK);
        if (!fixed.isEmpty()) {
            lines.add(String.format(
                    Locale.ROOT,
                    "Baseline %s: %d of %s %s gone or smaller%s:",
                    settings.baseline().orElseThrow(),
                    fixed.size(),
                    Quantities.count(known.entries().size(), "known leak"),
                    fixed.size() == 1 ? "is" : "are",
                    isShrunk ? ", and taken out of it" : ""));
            Baseline left = entries.shrunk(known);
            lines.addAll(listed(fixed.stream().map(entry -> entry + instead(left, entry) + removedTests(entry))));
        }
        if (isShrunk) {
            settings.updateBaseline(entries::shrunk);
        } else if (!fixed.isEmpty()) {
            lines.add("Take it out with -Dmeshguard.baseline.update=shrink"
                    + (settings.ci().isSet() ? "; not where CI is set, there the file is only read." : "."));
        }
        if (lines.isEmpty() && (entries.expected() > 0 || undecided.isEmpty())) {
            lines.add(String.format(
                    Locale.ROOT,
                    "CLEAN  each of %s matched in the run%s      [%s]",
                    Quantities.count(entries.expected() - unknown.size(), "expectation"),
                    unknown.isEmpty() ? "" : ", " + unknown.size() + " not judged",
                    sources));
        }
        if (!unknown.isEmpty()) {
            lines.add(String.format(
                    Locale.ROOT,
                    "Not judged: %s matched nothing, but a test with it failed, was aborted or is disabled",
                    Quantities.count(unknown.size(), "expectation")));
            lines.addAll(listed(unknown.stream().map(RunTally::description)));
        }
        if (!undecided.isEmpty()) {
            lines.add(String.format(
                    Locale.ROOT,
                    "Not judged: %s %s not found as often",
                    Quantities.count(undecided.size(), "known leak"),
                    undecided.size() == 1 ? "was" : "were"));
            lines.addAll(listed(undecided.stream().map(entry -> entry + ": " + entries.reasonToKeep(entry))));
        }
        Optional<StackTraceElement> place = unmatched.stream().findFirst().map(PlaceToOpen::of);
        if (place.isEmpty() && !fixed.isEmpty() && settings.update() == BaselineUpdate.STRICT) {
            place = Optional.of(lineOf(fixed.get(0), settings.baseline().orElseThrow()));
        }
        return new RunResult(
                place.isPresent() ? Outcome.STALE_EXPECTATION : Outcome.EXPECTED_ONLY,
                PrintableText.lines(lines),
                place);
    }

    /** Returns what a reader of a run that does not fail has to know, unless all entries matched and no known leak is gone. */
    Optional<String> notice() {
        return text.indexOf('\n') < 0 ? Optional.empty() : Optional.of(text);
    }

    private static StackTraceElement lineOf(BaselineEntry entry, Path baseline) throws IOException {
        int line = Files.readAllLines(baseline).indexOf(entry.toString()) + 1;
        return PlaceToOpen.inFile("baseline", baseline.toString(), line);
    }

    private static String instead(Baseline left, BaselineEntry entry) {
        BaselineEntry smaller = left.entries().get(entry.fingerprint());
        return smaller == null ? "" : String.format(Locale.ROOT, " (now at most %d)", smaller.count());
    }

    private static String removedTests(BaselineEntry entry) {
        List<String> removed =
                entry.tests().stream().filter(DeclaredTests::lack).toList();
        return removed.isEmpty() ? "" : ": there is no test " + String.join(", ", removed) + " any more";
    }

    /** Returns a line for each text, with the number of those that are left out. */
    private static List<String> listed(Stream<String> texts) {
        List<String> lines = texts.map(INDENT::concat).toList();
        if (lines.size() <= MAX_LINES) {
            return lines;
        }
        List<String> shown = new ArrayList<>(lines.subList(0, MAX_LINES - 1));
        shown.add("… and " + (lines.size() - shown.size()) + " more");
        return shown;
    }
}
