package dev.meshguard.report;

import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.SurvivorGroup;
import dev.meshguard.verdict.baseline.Baseline;
import dev.meshguard.verdict.baseline.BaselineComparison;
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
 * @param sections the findings, the worst first; one section for each kind of finding, each with a headline
 * @param tracked the allocated total and the survivors of each type
 * @param teardown the freed and remaining memory of each clean-up step
 * @param timeline the live bytes of each phase
 * @param notes information that is no finding: harmless anomalies, notes
 * @param bufferNotes the sizes, labels and devices of undecided and expected buffers; the text contains them if the
 *     findings leave room
 * @param expectations the result of each expectation
 * @param remedies the recommended actions, one for each cause
 * @param expectationSnippet the entry to paste if a buffer is expected, in both its forms, if one exists
 * @param reproduction the command that runs this again, if it is known
 * @param page the location of a page that shows it, if one was written
 * @param limits the limits of the numbers and of the history; for readers of the data instead of the text
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record VerdictReport(
        LeakVerdict verdict,
        List<Section> sections,
        List<TrackedRow> tracked,
        List<TeardownRow> teardown,
        List<TimelineRow> timeline,
        List<String> notes,
        List<String> bufferNotes,
        List<String> expectations,
        List<String> remedies,
        Optional<ExpectationSnippet> expectationSnippet,
        Optional<String> reproduction,
        Optional<String> page,
        List<Caveat> limits) {

    /**
     * Findings of one kind.
     *
     * @param headline the kind, the counts and the sum
     * @param findings the findings, oldest first
     */
    public record Section(String headline, List<Finding> findings) {

        /** Creates a section with its own copy of the findings. */
        public Section {
            findings = findings instanceof FindingList ? findings : List.copyOf(findings);
        }
    }

    /**
     * One finding.
     *
     * @param title the buffers, their size, devices and cause
     * @param site the line of code, if it is known
     * @param facts the evidence and the circumstances, the decisive ones first
     * @param buffers the number of buffers of the finding
     */
    public record Finding(String title, Optional<String> site, List<String> facts, long buffers) {

        /** Creates a finding with its own copy of the facts. */
        public Finding {
            facts = List.copyOf(facts);
        }
    }

    /**
     * One type of memory; the runtime's own memory has separate rows.
     *
     * @param type the memory, and its owner
     * @param allocated the total ever allocated
     * @param remaining the survivors
     */
    public record TrackedRow(String type, String allocated, String remaining) {}

    /**
     * One step of the clean-up.
     *
     * @param step the phase
     * @param freed the memory that it freed, by type and device
     * @param remaining the memory remaining after it, by type and device
     */
    public record TeardownRow(String step, String freed, String remaining) {}

    /**
     * One phase, or several consecutive ones if there are too many.
     *
     * @param phase the name
     * @param peakBytes the maximum bytes at any moment
     * @param endBytes the bytes at the end
     */
    public record TimelineRow(String phase, long peakBytes, long endBytes) {}

    /**
     * The narrowest entry that expects the buffers of a finding.
     *
     * @param annotation as an annotation
     * @param line as a line of a file
     */
    public record ExpectationSnippet(String annotation, String line) {}

    /** Creates a report with its own copies of the lists. */
    public VerdictReport {
        sections = List.copyOf(sections);
        tracked = List.copyOf(tracked);
        teardown = List.copyOf(teardown);
        timeline = List.copyOf(timeline);
        notes = List.copyOf(notes);
        expectations = List.copyOf(expectations);
        remedies = List.copyOf(remedies);
        limits = List.copyOf(limits);
    }

    /** Returns the report of a verdict. */
    public static VerdictReport of(LeakVerdict verdict) {
        return new VerdictReportBuilder(verdict, Optional.empty()).report();
    }

    /** Returns the report of a verdict that states of each leak whether it is known; new leaks come first. */
    public static VerdictReport of(LeakVerdict verdict, Baseline known) {
        return new VerdictReportBuilder(verdict, Optional.of(BaselineComparison.of(known, verdict))).report();
    }

    /**
     * Returns this report with one more note; a note states what the reader cannot know, for example who closed the
     * mesh.
     */
    public VerdictReport noting(String note) {
        List<String> more = new ArrayList<>(notes);
        more.add(note);
        return new VerdictReport(
                verdict,
                sections,
                tracked,
                teardown,
                timeline,
                more,
                bufferNotes,
                expectations,
                remedies,
                expectationSnippet,
                reproduction,
                page,
                limits);
    }

    /** Returns this report with the command that reproduces it. */
    public VerdictReport reproducedBy(String command) {
        return new VerdictReport(
                verdict,
                sections,
                tracked,
                teardown,
                timeline,
                notes,
                bufferNotes,
                expectations,
                remedies,
                expectationSnippet,
                Optional.of(command),
                page,
                limits);
    }

    /** Returns this report with the location of a page that shows it. */
    public VerdictReport shownAt(String place) {
        return new VerdictReport(
                verdict,
                sections,
                tracked,
                teardown,
                timeline,
                notes,
                bufferNotes,
                expectations,
                remedies,
                expectationSnippet,
                reproduction,
                Optional.of(place),
                limits);
    }

    /**
     * Returns the narrowest entry that expects a group of the verdict, if one matches it and it is not expected
     * already.
     */
    public Optional<ExpectationSnippet> expectationSnippetOf(SurvivorGroup group) {
        return VerdictReportBuilder.expectationSnippet(group, VerdictReportBuilder.devices(verdict.history()));
    }

    /** Returns the whole text, at most {@value VerdictText#MAX_LINES} lines, without a line break at the end. */
    public String text() {
        return VerdictText.render(this);
    }
}
