package dev.meshguard.junit.internal.check;

import dev.meshguard.assertions.BudgetAssertionError;
import dev.meshguard.assertions.LeakAssertionError;
import dev.meshguard.event.Quantities;
import dev.meshguard.history.Anomaly;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Overwrite;
import dev.meshguard.verdict.Survivor;
import dev.meshguard.verdict.SurvivorStatus;
import dev.meshguard.verdict.budget.BudgetViolation;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeoutException;

/** The findings that a test has already reported by failing, so that they are not reported a second time. */
final class AlreadyReportedFindings {

    private final Optional<Throwable> thrown;
    private final List<LeakVerdict> reported;

    private AlreadyReportedFindings(Optional<Throwable> thrown, List<LeakVerdict> reported) {
        this.thrown = thrown;
        this.reported = reported;
    }

    /** Returns the findings of an error, its causes, its suppressed errors and the errors that it collects. */
    static AlreadyReportedFindings by(Optional<Throwable> thrown) {
        return new AlreadyReportedFindings(
                thrown,
                new ThrownErrors(thrown)
                        .all(LeakAssertionError.class)
                        .filter(LeakAssertionError::isComplete)
                        .map(LeakAssertionError::verdict)
                        .toList());
    }

    /** Returns the budget violations of an error, its causes, its suppressed errors and the errors that it collects. */
    static List<BudgetViolation> budgetsBy(Optional<Throwable> thrown) {
        return new ThrownErrors(thrown)
                .all(BudgetAssertionError.class)
                .flatMap(error -> error.verdict().violations().stream())
                .toList();
    }

    /** Returns whether every finding of a verdict was reported. */
    boolean covers(LeakVerdict verdict) {
        return verdict.survivors().stream()
                        .filter(survivor -> survivor.status() != SurvivorStatus.EXPECTED)
                        .allMatch(this::hasReported)
                && verdict.unbalancingAnomalies().stream().allMatch(this::hasReported)
                && verdict.unexpectedOverwrites().stream().allMatch(this::hasReported)
                && verdict.staleExpectations().stream()
                        .allMatch(stale -> reported.stream()
                                .anyMatch(before -> before.staleExpectations().contains(stale)))
                && verdict.inconclusiveReasonTexts().stream()
                        .allMatch(reason -> reported.stream()
                                .anyMatch(before ->
                                        before.inconclusiveReasonTexts().contains(reason)));
    }

    /** Returns whether a buffer is a survivor that was reported as a finding. */
    boolean covers(BufferGeneration buffer) {
        return reported.stream()
                .flatMap(verdict -> verdict.survivors().stream())
                .anyMatch(before -> before.status() != SurvivorStatus.EXPECTED && isSame(before.buffer(), buffer));
    }

    /** Returns the notes for a reader of a verdict who has already read what the test threw. */
    List<String> notes(LeakVerdict verdict) {
        List<String> notes = new ArrayList<>();
        thrown.ifPresent(error -> notes.add(String.format(
                Locale.ROOT,
                "the test %s before this check, so what frees memory may not have run",
                error instanceof TimeoutException
                        ? "ran into its timeout"
                        : "threw " + error.getClass().getSimpleName())));
        long again = verdict.survivors().stream().filter(this::hasReported).count();
        if (again > 0) {
            notes.add(Quantities.count(again, "buffer") + " of these were in what the test asserted itself");
        }
        return notes;
    }

    private boolean hasReported(Survivor survivor) {
        return reported.stream()
                .flatMap(verdict -> verdict.survivors().stream())
                .anyMatch(before -> before.status() == survivor.status() && isSame(before.buffer(), survivor.buffer()));
    }

    private boolean hasReported(Anomaly anomaly) {
        return reported.stream()
                .flatMap(verdict -> verdict.anomalies().stream())
                .anyMatch(before ->
                        before.kind() == anomaly.kind() && before.event().equals(anomaly.event()));
    }

    private boolean hasReported(Overwrite overwrite) {
        return reported.stream()
                .flatMap(verdict -> verdict.overwrites().stream())
                .anyMatch(before ->
                        !before.isExpected() && before.isSameLossAs(overwrite) && before.times() >= overwrite.times());
    }

    /** Histories of one tracker share its requests; histories of two trackers do not. */
    @SuppressWarnings("ReferenceEquality")
    private static boolean isSame(BufferGeneration one, BufferGeneration other) {
        return one.hasSameAddressAs(other)
                && one.generation() == other.generation()
                && one.openPeriod() == other.openPeriod()
                && one.request() == other.request();
    }
}
