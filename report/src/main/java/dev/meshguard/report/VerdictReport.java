package dev.meshguard.report;

import dev.meshguard.event.MemoryShortage;
import dev.meshguard.event.MemoryShortage.Holder;
import dev.meshguard.event.Quantities;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.SurvivorGroup;
import dev.meshguard.verdict.baseline.Baseline;
import dev.meshguard.verdict.baseline.BaselineComparison;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The content of a verdict's report, in the order in which a reader needs it.
 *
 * <p>Created once from a verdict; the text of a failure and all other formats are views of it, so they never disagree.
 * Immutable and safe for use by several threads.
 *
 * <pre>{@code
 * String text = VerdictReport.of(verdict).reproducedBy("mvn test -Dtest=KvCacheTest#decode").text();
 * }</pre>
 *
 * @param verdict the reported verdict
 * @param sections the findings, the worst kind first; one section for each kind
 * @param notes information that is no finding: harmless anomalies, notes
 * @param histograms the number of survivors by size, by label and by device, where there are many findings
 * @param expectations the result of each expectation
 * @param expectationSnippet the entry to paste if the buffers of the first finding are expected, in both its forms, if
 *     one entry admits exactly these
 * @param reproduction the command that runs this again, if it is known
 * @param page the location of a page that shows it, if one was written
 * @param shortage the lack of memory that failed the test, if it failed for that
 * @param limits the limits of the numbers and of the history; for readers of the data instead of the text
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record VerdictReport(
        LeakVerdict verdict,
        List<Section> sections,
        List<String> notes,
        List<String> histograms,
        List<String> expectations,
        Optional<ExpectationSnippet> expectationSnippet,
        Optional<String> reproduction,
        Optional<String> page,
        Optional<MemoryShortage> shortage,
        List<Caveat> limits) {

    private static final int MAX_HOLDERS = 3;

    /**
     * Findings of one kind.
     *
     * @param headline one line that answers alone: the kind, the memory, and the cause and line of the largest finding
     * @param facts what holds for all findings: why a verdict is inconclusive
     * @param findings the findings, new ones before known ones, the one with the most bytes first
     */
    public record Section(String headline, List<Fact> facts, List<Finding> findings) {

        /** Creates a section with its own copies of the lists. */
        public Section {
            facts = List.copyOf(facts);
            findings = findings instanceof FindingList ? findings : List.copyOf(findings);
        }
    }

    /**
     * One finding.
     *
     * @param title the memory, the number of buffers, their size, devices, label and owner
     * @param sites the line of code that allocated them, and the callers that tell findings of one line apart; empty if
     *     no line is known
     * @param facts why the buffers survived, how to fix it, and what was seen, in this order
     * @param buffers the number of buffers of the finding, consequences included; 0 for a free of nothing
     * @param bytes their bytes, at most {@link Long#MAX_VALUE}
     */
    public record Finding(String title, List<String> sites, List<Fact> facts, long buffers, long bytes) {

        /** Creates a finding with its own copies of the lists. */
        public Finding {
            sites = List.copyOf(sites);
            facts = List.copyOf(facts);
        }
    }

    /**
     * One fact about a finding.
     *
     * @param name what the fact answers: {@code where}, {@code why}, {@code fix}, {@code seen}, {@code freed}, {@code over}, {@code with},
     *     {@code held} or {@code note}
     * @param text the fact
     */
    public record Fact(String name, String text) {

        /** The lines of the log that reported the buffers. */
        public static final String WHERE = "where";

        /** The cause, with the decisive evidence. */
        public static final String WHY = "why";

        /** The recommended action. */
        public static final String FIX = "fix";

        /** Further evidence and the circumstances. */
        public static final String SEEN = "seen";

        /** The line of code that freed the buffers too late. */
        public static final String FREED = "freed";

        /** The line of code that allocated the buffers underneath. */
        public static final String OVER = "over";

        /** Buffers that disappear with those of the finding. */
        public static final String WITH = "with";

        /** The comparison with the baseline. */
        public static final String NOTE = "note";

        /** A holder of memory that a request did not find. */
        public static final String HELD = "held";
    }

    /**
     * The narrowest entry that expects the buffers of a finding.
     *
     * @param annotation as an annotation
     * @param line as a line of a file
     */
    public record ExpectationSnippet(String annotation, String line) {}

    /** What a copy of a report may change; it changes only before the copy uses it. */
    private static final class Changes {

        private List<Section> sections;
        private final List<String> notes;
        private Optional<ExpectationSnippet> expectationSnippet;
        private Optional<String> reproduction;
        private Optional<String> page;
        private Optional<MemoryShortage> shortage;

        private Changes(VerdictReport report) {
            sections = report.sections;
            expectationSnippet = report.expectationSnippet;
            shortage = report.shortage;
            notes = new ArrayList<>(report.notes);
            reproduction = report.reproduction;
            page = report.page;
        }
    }

    /** Creates a report with its own copies of the lists. */
    public VerdictReport {
        sections = List.copyOf(sections);
        notes = List.copyOf(notes);
        expectations = List.copyOf(expectations);
        limits = List.copyOf(limits);
    }

    /** Returns the report of a verdict. */
    public static VerdictReport of(LeakVerdict verdict) {
        return of(verdict, Optional.empty(), Optional.empty());
    }

    /** Returns the report of a verdict that states of each leak whether it is known; new leaks come first. */
    public static VerdictReport of(LeakVerdict verdict, Baseline known) {
        return of(verdict, Optional.of(known), Optional.empty());
    }

    /**
     * Returns the report of a verdict on a test.
     *
     * @param known the known leaks, if there is a baseline
     * @param testClass the class of the test; if code outside it allocated a leak, the report adds the line of the class
     *     that called this code
     */
    public static VerdictReport of(LeakVerdict verdict, Optional<Baseline> known, Optional<Class<?>> testClass) {
        return of(verdict, known, testClass, Optional.empty());
    }

    /**
     * Returns the report of a verdict on a log, which names lines of the log where no line of code is known.
     *
     * @param known the known leaks, if there is a baseline
     */
    public static VerdictReport ofLog(LeakVerdict verdict, Optional<Baseline> known, LogLines log) {
        return of(verdict, known, Optional.empty(), Optional.of(log));
    }

    private static VerdictReport of(
            LeakVerdict verdict, Optional<Baseline> known, Optional<Class<?>> testClass, Optional<LogLines> log) {
        return new VerdictReportBuilder(
                        verdict,
                        known.map(baseline -> BaselineComparison.of(baseline, verdict)),
                        testClass.map(Class::getName),
                        log)
                .report();
    }

    /**
     * Returns this report with one more note; a note states what the reader cannot know, for example who closed the
     * mesh.
     */
    public VerdictReport noting(String note) {
        return with(changed -> changed.notes.add(note));
    }

    /** Returns this report with the command that reproduces it. */
    public VerdictReport reproducedBy(String command) {
        return with(changed -> changed.reproduction = Optional.of(command));
    }

    /** Returns this report with the location of a page that shows it. */
    public VerdictReport shownAt(String place) {
        return with(changed -> changed.page = Optional.of(place));
    }

    /**
     * Returns this report for a test that failed because its memory had no room.
     *
     * <p>It begins with the shortage. Buffers that leaked are listed as remaining after the failure, and no entry to expect them is
     * offered, because the test may not have reached the code that frees them.
     */
    public VerdictReport failedBy(MemoryShortage shortage) {
        List<Section> afterFailure = new ArrayList<>();
        afterFailure.add(section(shortage));
        sections.forEach(section -> afterFailure.add(
                new Section(Headlines.afterFailure(section.headline()), section.facts(), section.findings())));
        return with(changed -> {
            changed.sections = afterFailure;
            changed.expectationSnippet = Optional.empty();
            changed.shortage = Optional.of(shortage);
        });
    }

    /**
     * Returns the sections about what happened to memory: a shortage, replays of traces, memory that two allocators held at a time. The
     * other sections are about buffers and reports that remain.
     */
    public List<Section> incidents() {
        return sections.stream()
                .filter(section -> Headlines.isOfIncident(section.headline()))
                .toList();
    }

    private static Section section(MemoryShortage shortage) {
        List<Fact> facts = new ArrayList<>();
        facts.add(new Fact(Fact.WHY, shortage.lines().get(0)));
        List<Holder> holders = shortage.holders();
        holders.stream()
                .limit(MAX_HOLDERS)
                .forEach(holder ->
                        facts.add(new Fact(Fact.HELD, Quantities.shortSize(holder.bytes()) + " by " + holder)));
        if (holders.size() > MAX_HOLDERS) {
            facts.add(new Fact(Fact.HELD, "the error lists more"));
        }
        return new Section(Headlines.shortage(shortage), facts, List.of());
    }

    private VerdictReport with(Consumer<Changes> change) {
        Changes changed = new Changes(this);
        change.accept(changed);
        return new VerdictReport(
                verdict,
                changed.sections,
                changed.notes,
                histograms,
                expectations,
                changed.expectationSnippet,
                changed.reproduction,
                changed.page,
                changed.shortage,
                limits);
    }

    /**
     * Returns the callers that tell what one line allocated apart, as the text names them.
     *
     * @param first the first group of a finding that leaked or was freed late
     * @return none if the line of the allocation is enough
     */
    public List<String> callersOf(SurvivorGroup first) {
        return sections.stream()
                .map(Section::findings)
                .filter(FindingList.class::isInstance)
                .flatMap(findings -> ((FindingList) findings).startingWith(first).stream())
                .flatMap(finding -> finding.sites().stream().skip(1))
                .toList();
    }

    /**
     * Returns the findings as text, at most {@value VerdictText#MAX_LINES} lines, without a line break at the end: what
     * leaked, where, why, and what to do.
     */
    public String text() {
        return VerdictText.render(this);
    }
}
