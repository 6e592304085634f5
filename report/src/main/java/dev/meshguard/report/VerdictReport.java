package dev.meshguard.report;

import dev.meshguard.event.Owner;
import dev.meshguard.event.shortage.MemoryShortage;
import dev.meshguard.event.shortage.MemoryShortage.Holder;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.report.ExpectationSnippets.ExpectationSnippet;
import dev.meshguard.report.Finding.Fact;
import dev.meshguard.text.Quantities;
import dev.meshguard.verdict.CachedPrograms;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.SurvivorStatus;
import dev.meshguard.verdict.baseline.Baseline;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
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
 * @param survivors the findings about survivors, the worst status first; also those that are expected
 * @param sections the findings, the worst kind first; one section for each kind
 * @param notes information that is no finding: harmless anomalies, notes
 * @param expectations the result of each expectation
 * @param expectationSnippet the entry to paste if the buffers of the first finding are expected, in both its forms, if
 *     one entry admits exactly these
 * @param reproduction the command that runs this again, if it is known
 * @param page the location of a page that shows it, if one was written
 * @param shortage the lack of memory that failed the test, if it failed for that
 * @param hasNoTest whether it is about memory of no test, which no annotation can expect
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record VerdictReport(
        LeakVerdict verdict,
        List<SurvivorFinding> survivors,
        List<Section> sections,
        List<String> notes,
        List<String> expectations,
        Optional<ExpectationSnippet> expectationSnippet,
        Optional<String> reproduction,
        Optional<String> page,
        Optional<MemoryShortage> shortage,
        boolean hasNoTest) {

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
            findings = List.copyOf(findings);
        }
    }

    /** Creates a report with its own copies of the lists. */
    public VerdictReport {
        survivors = List.copyOf(survivors);
        sections = List.copyOf(sections);
        notes = List.copyOf(notes);
        expectations = List.copyOf(expectations);
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
        return new VerdictReportBuilder(verdict, known, testClass, Optional.empty()).report();
    }

    /**
     * Returns the report of a verdict on a log, which names lines of the log where no line of code is known.
     *
     * @param known the known leaks, if there is a baseline
     */
    public static VerdictReport ofLog(LeakVerdict verdict, Optional<Baseline> known, LogLines log) {
        return new VerdictReportBuilder(verdict, known, Optional.empty(), Optional.of(log)).report();
    }

    /**
     * Returns this report with one more note; a note states what the reader cannot know, for example who closed the
     * mesh.
     */
    public VerdictReport noting(String note) {
        List<String> more = new ArrayList<>(notes);
        more.add(note);
        return with(more, reproduction, page, hasNoTest);
    }

    /** Returns this report with the command that reproduces it. */
    public VerdictReport reproducedBy(String command) {
        return with(notes, Optional.of(command), page, hasNoTest);
    }

    /** Returns this report for memory of no test: no annotation can expect it, but an entry of a file can. */
    public VerdictReport ofNoTest() {
        return with(notes, reproduction, page, true);
    }

    /** Returns whether no annotation can expect its memory, because there is no test that could have one. */
    public boolean isExpectedByFileOnly() {
        return hasNoTest || (VerdictText.isOfProgram(this) && reproduction.isEmpty());
    }

    /** Returns this report with the location of a page that shows it. */
    public VerdictReport shownAt(String place) {
        return with(notes, reproduction, Optional.of(place), hasNoTest);
    }

    private VerdictReport with(
            List<String> ownNotes, Optional<String> command, Optional<String> place, boolean isOfNoTest) {
        return new VerdictReport(
                verdict,
                survivors,
                sections,
                ownNotes,
                expectations,
                expectationSnippet,
                command,
                place,
                shortage,
                isOfNoTest);
    }

    /**
     * Returns this report for a test that failed because its memory had no room.
     *
     * <p>It begins with the shortage. Buffers that leaked are listed as remaining after the failure, and no entry to expect them is
     * offered, because the test may not have reached the code that frees them.
     */
    public VerdictReport failedBy(MemoryShortage cause) {
        List<Section> afterFailure = new ArrayList<>();
        afterFailure.add(section(cause, verdict.history()));
        sections.forEach(section -> afterFailure.add(
                new Section(Headlines.afterFailure(section.headline()), section.facts(), section.findings())));
        Optional<ExpectationSnippet> none = Optional.empty();
        Optional<MemoryShortage> known = Optional.of(cause);
        return new VerdictReport(
                verdict, survivors, afterFailure, notes, expectations, none, reproduction, page, known, hasNoTest);
    }

    /** Returns the findings about survivors of one status. */
    public List<SurvivorFinding> survivors(SurvivorStatus status) {
        return survivors.stream().filter(finding -> finding.status() == status).toList();
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

    private static Section section(MemoryShortage shortage, AllocationHistory history) {
        List<Fact> facts = new ArrayList<>();
        facts.add(new Fact(Fact.WHY, shortage.lines().get(0)));
        List<Owner> inTheWay = shortage.room().stream()
                .flatMap(room -> room.holders().stream())
                .flatMap(holder -> holder.owners().stream())
                .toList();
        List<Owner> owners = shortage.holders().stream()
                .flatMap(holder -> holder.owners().stream())
                .toList();
        List<CachedPrograms> cached = inTheWay.isEmpty() ? List.of() : CachedPrograms.of(owners, history::cacheKeyOf);
        cached.forEach(programs -> facts.add(new Fact(Fact.WHY, Cause.CACHED + ": " + programs)));
        List<Holder> holders = shortage.holders();
        holders.stream()
                .limit(MAX_HOLDERS)
                .forEach(holder ->
                        facts.add(new Fact(Fact.HELD, Quantities.shortSize(holder.bytes()) + " by " + holder)));
        if (holders.size() > MAX_HOLDERS) {
            facts.add(new Fact(Fact.HELD, "the error lists more"));
        }
        if (!cached.isEmpty()) {
            facts.add(new Fact(Fact.FIX, CachedPrograms.FIX));
        }
        return new Section(Headlines.shortage(shortage), facts, List.of());
    }

    /** Returns the lines of a note, as {@link #text()} has them below the findings. */
    public static List<String> noteLines(String note) {
        return VerdictText.entry(Fact.NOTE, note);
    }

    /**
     * Returns the findings as text, at most {@value TruncatedText#MAX_LINES} lines, without a line break at the end: what
     * leaked, where, why, and what to do.
     */
    public String text() {
        return VerdictText.render(this);
    }
}
