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
 * What there is to say of a verdict, in the words and the order in which a reader needs it.
 *
 * <p>Made once from a verdict; the text of a failure and every other form are views of it, so they never disagree.
 * Immutable and safe for use by several threads.
 *
 * <pre>{@code
 * String text = VerdictReport.of(verdict).reproducedBy("mvn test -Dtest=KvCacheTest#decode").text();
 * }</pre>
 *
 * @param verdict what is reported
 * @param sections what was found, the worst first; one for each kind of finding, each under a headline of its own
 * @param tracked what each type took in all and what is left of it
 * @param teardown what each step of the clean-up gave back and left
 * @param timeline the live bytes of each phase
 * @param asides what is worth knowing and no finding: anomalies that hurt nobody, notes
 * @param moreNotes the sizes, labels and devices of undecided and expected buffers; the text has them where no finding needs the room
 * @param expectations what became of the allowlist
 * @param remedies what to do, one for each cause
 * @param optOut the entry to paste where a buffer may stay, if one was found that may, in both its forms
 * @param reproduction the command that runs this again, if it is known
 * @param page where a page shows it, if one was written
 * @param limits what the numbers do not mean and the history could not know; for whoever reads the data and not the text
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record VerdictReport(
        LeakVerdict verdict,
        List<Section> sections,
        List<TrackedRow> tracked,
        List<TeardownRow> teardown,
        List<TimelineRow> timeline,
        List<String> asides,
        List<String> moreNotes,
        List<String> expectations,
        List<String> remedies,
        Optional<OptOut> optOut,
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
     * One thing to look at.
     *
     * @param title what, how much, on which devices, and why
     * @param site where in the code, if that is known
     * @param facts the evidence and the circumstances, the decisive ones first
     * @param buffers how many buffers it stands for
     */
    public record Finding(String title, Optional<String> site, List<String> facts, long buffers) {

        /** Creates a finding with its own copy of the facts. */
        public Finding {
            facts = List.copyOf(facts);
        }
    }

    /**
     * One type of memory; the runtime's own is told apart.
     *
     * @param type the memory, and whose it is
     * @param inAll what was ever allocated
     * @param remaining what is left
     */
    public record TrackedRow(String type, String inAll, String remaining) {}

    /**
     * One step of the clean-up.
     *
     * @param step the phase
     * @param freed what it gave back, by type and device
     * @param remaining what it left, by type and device
     */
    public record TeardownRow(String step, String freed, String remaining) {}

    /**
     * One phase, or several in a row where there are too many.
     *
     * @param phase the name
     * @param peakBytes the most bytes at any moment
     * @param endBytes the bytes at the end
     */
    public record TimelineRow(String phase, long peakBytes, long endBytes) {}

    /**
     * The narrowest entry that lets a finding stay.
     *
     * @param annotation as an annotation
     * @param line as a line of a file
     */
    public record OptOut(String annotation, String line) {}

    /** Creates a report with its own copies of the lists. */
    public VerdictReport {
        sections = List.copyOf(sections);
        tracked = List.copyOf(tracked);
        teardown = List.copyOf(teardown);
        timeline = List.copyOf(timeline);
        asides = List.copyOf(asides);
        expectations = List.copyOf(expectations);
        remedies = List.copyOf(remedies);
        limits = List.copyOf(limits);
    }

    /** Returns the report of a verdict. */
    public static VerdictReport of(LeakVerdict verdict) {
        return new ReportWriter(verdict, Optional.empty()).report();
    }

    /** Returns the report of a verdict that says of each leak whether it was known; what is new comes first. */
    public static VerdictReport of(LeakVerdict verdict, Baseline known) {
        return new ReportWriter(verdict, Optional.of(BaselineComparison.of(known, verdict))).report();
    }

    /** Returns this report with one more note; a note says what the reader could not know, for example who closed the mesh. */
    public VerdictReport noting(String note) {
        List<String> more = new ArrayList<>(asides);
        more.add(note);
        return new VerdictReport(
                verdict,
                sections,
                tracked,
                teardown,
                timeline,
                more,
                moreNotes,
                expectations,
                remedies,
                optOut,
                reproduction,
                page,
                limits);
    }

    /** Returns this report with the command that runs the same again. */
    public VerdictReport reproducedBy(String command) {
        return new VerdictReport(
                verdict,
                sections,
                tracked,
                teardown,
                timeline,
                asides,
                moreNotes,
                expectations,
                remedies,
                optOut,
                Optional.of(command),
                page,
                limits);
    }

    /** Returns this report with the place of a page that shows it. */
    public VerdictReport shownAt(String place) {
        return new VerdictReport(
                verdict,
                sections,
                tracked,
                teardown,
                timeline,
                asides,
                moreNotes,
                expectations,
                remedies,
                optOut,
                reproduction,
                Optional.of(place),
                limits);
    }

    /** Returns the narrowest entry that lets a group of the verdict stay, if one fits it and it is not expected already. */
    public Optional<OptOut> optOutOf(SurvivorGroup group) {
        return ReportWriter.optOut(group, ReportWriter.devices(verdict.history()));
    }

    /** Returns the whole text, at most {@value VerdictText#MAX_LINES} lines, without a line break at the end. */
    public String text() {
        return VerdictText.render(this);
    }
}
