package dev.meshguard.junit.internal.summary;

import dev.meshguard.report.SurvivorFinding;
import dev.meshguard.verdict.LeakVerdict;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One running check, added to the summary of its run when it ends.
 *
 * <p>Its default result is failed: an exception during a check fails its test.
 *
 * <p>Not safe for use by several threads; a check runs on one.
 */
public final class RunningCheck implements AutoCloseable {

    private final RunSummaryCollector numbers;
    private final CheckSubject subject;
    private final boolean isOfTracker;
    private final long begunAt;
    private CheckOutcome result = CheckOutcome.FAILED;
    private @Nullable LeakVerdict verdict;
    private List<SurvivorFinding> findings = List.of();
    private @Nullable String page;
    private @Nullable String headline;

    RunningCheck(RunSummaryCollector numbers, CheckSubject subject, boolean isOfTracker, long begunAt) {
        this.numbers = numbers;
        this.subject = subject;
        this.isOfTracker = isOfTracker;
        this.begunAt = begunAt;
    }

    /** Sets the verdict and its findings about survivors; the last call wins. */
    public void found(LeakVerdict newVerdict, List<SurvivorFinding> newFindings) {
        verdict = newVerdict;
        findings = newFindings;
    }

    /** Sets the location of the page that shows the check. */
    public void shownAt(String location) {
        page = location;
    }

    /** Sets the first line of the failure, for a summary that must name it. */
    public void failedWith(String firstLine) {
        headline = firstLine;
    }

    /** Sets the result of the check. */
    public void became(CheckOutcome newOutcome) {
        result = newOutcome;
    }

    /** Ends the check. */
    @Override
    public void close() {
        numbers.ended(this);
    }

    CheckSubject subject() {
        return subject;
    }

    boolean isOfTracker() {
        return isOfTracker;
    }

    long begunAt() {
        return begunAt;
    }

    /** Returns the result of the check, as far as it is known. */
    public CheckOutcome result() {
        return result;
    }

    Optional<LeakVerdict> verdict() {
        return Optional.ofNullable(verdict);
    }

    List<SurvivorFinding> findings() {
        return findings;
    }

    Optional<String> headline() {
        return Optional.ofNullable(headline);
    }

    Optional<String> page() {
        return Optional.ofNullable(page);
    }
}
