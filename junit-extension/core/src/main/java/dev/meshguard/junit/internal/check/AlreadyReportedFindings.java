package dev.meshguard.junit.internal.check;

import dev.meshguard.assertions.LeakAssertionError;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.text.Quantities;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Survivor;
import dev.meshguard.verdict.SurvivorStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Predicate;

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

    /** Returns whether every finding of a verdict was reported. */
    boolean covers(LeakVerdict verdict) {
        return verdict.survivors(survivor -> survivor.status() != SurvivorStatus.EXPECTED).stream()
                        .allMatch(this::hasReported)
                && verdict.unbalancingAnomalies().stream()
                        .allMatch(now -> isReported(
                                LeakVerdict::anomalies,
                                before -> before.kind() == now.kind()
                                        && before.event().equals(now.event())))
                && verdict.unexpectedOverwrites().stream()
                        .allMatch(now -> isReported(
                                LeakVerdict::unexpectedOverwrites,
                                before -> before.isSameLossAs(now) && before.times() >= now.times()))
                && verdict.staleExpectations().stream()
                        .allMatch(now -> isReported(LeakVerdict::staleExpectations, now::equals))
                && verdict.inconclusiveReasonTexts().stream()
                        .allMatch(now -> isReported(LeakVerdict::inconclusiveReasonTexts, now::equals));
    }

    /** Returns whether a buffer is a survivor that was reported as a finding. */
    boolean covers(BufferGeneration buffer) {
        return isReported(
                LeakVerdict::survivors,
                before -> before.status() != SurvivorStatus.EXPECTED && isSame(before.buffer(), buffer));
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
        return isReported(
                LeakVerdict::survivors,
                before -> before.status() == survivor.status() && isSame(before.buffer(), survivor.buffer()));
    }

    private <T> boolean isReported(Function<LeakVerdict, List<T>> findings, Predicate<T> isSame) {
        return reported.stream()
                .flatMap(verdict -> findings.apply(verdict).stream())
                .anyMatch(isSame);
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
