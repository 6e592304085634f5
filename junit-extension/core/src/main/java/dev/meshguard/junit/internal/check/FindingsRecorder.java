package dev.meshguard.junit.internal.check;

import dev.meshguard.junit.AllocationCheck;
import dev.meshguard.junit.internal.SharedRunState;
import dev.meshguard.junit.internal.config.CheckPolicy;
import dev.meshguard.junit.internal.session.TrackedTest;
import dev.meshguard.junit.internal.summary.CheckResult;
import dev.meshguard.junit.internal.summary.CheckSubject;
import dev.meshguard.report.findings.CheckRecord;
import dev.meshguard.report.findings.FindingRecord;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Outcome;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Adds the checks of one test to the file of findings, if one is written. A test whose memory is not checked is not in it.
 *
 * @param run the state that all tests share
 * @param test the test that is responsible
 * @param kind the kind of what is checked
 * @param policies the policies of the test
 * @param source returns the id of the source of the memory, if a source allocated it
 */
record FindingsRecorder(
        SharedRunState run,
        TrackedTest test,
        CheckSubject.Kind kind,
        CheckPolicy policies,
        Supplier<Optional<String>> source) {

    /** Adds a check that had a verdict. */
    void add(LeakVerdict verdict, CheckResult result) {
        if (isWritten()) {
            add(
                    verdict.outcome(),
                    result,
                    CheckRecord.peakBytesOf(verdict.history()),
                    FindingRecord.of(verdict, run.baseline()));
        }
    }

    /** Adds a check that needed no verdict. */
    void add(Outcome outcome, CheckResult result) {
        if (isWritten()) {
            add(outcome, result, 0, List.of());
        }
    }

    private boolean isWritten() {
        return run.reporting().findings().isPresent() && policies.check() != AllocationCheck.NONE;
    }

    private void add(Outcome outcome, CheckResult result, long peakBytes, List<FindingRecord> findings) {
        CheckRecord record = new CheckRecord(
                test.id(),
                kind.name(),
                source.get(),
                outcome,
                result.name(),
                test.thrown().isEmpty(),
                peakBytes,
                findings);
        run.reporting().findings().ifPresent(file -> file.add(record));
    }
}
