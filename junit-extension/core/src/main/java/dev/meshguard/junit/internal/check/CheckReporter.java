package dev.meshguard.junit.internal.check;

import dev.meshguard.assertions.LeakAssertionError;
import dev.meshguard.event.MemoryShortage;
import dev.meshguard.handle.SearchSummary;
import dev.meshguard.junit.AllocationCheck;
import dev.meshguard.junit.internal.HistoryFolder;
import dev.meshguard.junit.internal.PageSubject;
import dev.meshguard.junit.internal.SharedRunState;
import dev.meshguard.junit.internal.TestNames;
import dev.meshguard.junit.internal.config.CheckPolicy;
import dev.meshguard.junit.internal.session.TrackedTest;
import dev.meshguard.junit.internal.summary.CheckResult;
import dev.meshguard.junit.internal.summary.RunningCheck;
import dev.meshguard.report.VerdictReport;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.budget.BudgetVerdict;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.opentest4j.MultipleFailuresError;
import org.opentest4j.TestAbortedException;

/**
 * Turns a verdict into its effect on a test, class or run: nothing, a report entry, or a failure.
 *
 * @param policies the conditions, and how a test that threw is handled
 * @param budgets the budgets
 * @param run the state that all tests share
 * @param findings receives the result of the check
 * @param test the test that is responsible
 * @param subject the subject of the page; resolved only for checks that have a page
 */
record CheckReporter(
        CheckPolicy policies,
        BudgetCheck budgets,
        SharedRunState run,
        FindingsRecorder findings,
        TrackedTest test,
        Supplier<PageSubject> subject) {

    /**
     * Reports a verdict.
     *
     * @param verdict the verdict
     * @param again judges once more when the holders of the survivors are known
     * @param tracker receives these holders
     * @param remarks notes on the end of the test
     * @param failedClose the errors of closing meshes
     * @param running receives the result of the check
     */
    void report(
            LeakVerdict verdict,
            Supplier<LeakVerdict> again,
            AllocationTracker tracker,
            List<String> remarks,
            @Nullable RuntimeException failedClose,
            RunningCheck running) {
        LeakVerdict[] last = {verdict};
        Supplier<LeakVerdict> remembering = () -> {
            last[0] = again.get();
            return last[0];
        };
        boolean[] hasFailed = new boolean[1];
        List<String> notes = new ArrayList<>(remarks);
        try {
            conclude(verdict, remembering, tracker, notes, failedClose, running, hasFailed);
        } finally {
            run.reporting().histories().ifPresent(folder -> keep(last[0], folder));
            findings.add(last[0], running.result());
            if (!hasFailed[0]) {
                pages().writePassed(last[0], notes);
            }
        }
    }

    private CheckPages pages() {
        return new CheckPages(run, test, subject, budgets, this::report);
    }

    /** A write error must not hide a finding, and must be visible. */
    private void keep(LeakVerdict verdict, HistoryFolder folder) {
        try {
            folder.keep(test.name(), verdict.history());
        } catch (IOException | RuntimeException notWritten) {
            test.publish(String.format(
                    Locale.ROOT,
                    "The history of this check could not be written to the folder of %s: %s",
                    HistoryFolder.RECORD,
                    notWritten));
        }
    }

    private void conclude(
            LeakVerdict verdict,
            Supplier<LeakVerdict> again,
            AllocationTracker tracker,
            List<String> notes,
            @Nullable RuntimeException failedClose,
            RunningCheck running,
            boolean[] hasFailed) {
        running.found(verdict);
        run.baseline().ifPresent(running::comparedWith);
        if (policies.check() != AllocationCheck.NONE) {
            run.add(verdict);
        }
        Optional<Throwable> thrown = test.thrown();
        AlreadyReportedFindings reported = AlreadyReportedFindings.by(thrown);
        VerdictStatus first = statusOf(verdict, reported);
        LeakVerdict complete = first == VerdictStatus.NEW ? explained(verdict, again, tracker, notes) : verdict;
        running.found(complete);
        // What is freed between the two verdicts may fail no condition; the failure would have nothing to report.
        VerdictStatus status = policies.holdFor(complete) ? VerdictStatus.PASSED : first;
        running.became(status.result);
        if (status == VerdictStatus.BASELINED) {
            notes.add("every leak is in the baseline, so the test does not fail");
            test.publish(report(verdict, notes).text());
        }
        Optional<BudgetVerdict> overBudget =
                budgets.verdict(verdict).filter(judged -> BudgetCheck.isNews(judged, test));
        if (status == VerdictStatus.NEW) {
            hasFailed[0] = true;
            notes.addAll(reported.notes(complete));
            noteThatTestStillRuns(notes);
            VerdictReport report = report(complete, notes);
            pages().naming(
                            report,
                            (named, page) -> {
                                LeakAssertionError leak = suppressing(failedClose, failure(named));
                                return overBudget
                                        .<AssertionError>map(judged ->
                                                both(leak, BudgetCheck.failure(judged, test, Optional.empty())))
                                        .orElse(leak);
                            },
                            (failure, named) -> fail(failure, named, running));
        } else if (overBudget.isPresent()) {
            hasFailed[0] = true;
            pages().naming(
                            report(verdict, notes),
                            (named, page) ->
                                    suppressing(failedClose, BudgetCheck.failure(overBudget.get(), test, page)),
                            (failure, named) -> fail(failure, named, running));
        } else if (failedClose != null) {
            running.became(CheckResult.FAILED);
            raise(failedClose, thrown);
        } else if (status == VerdictStatus.ALREADY_REPORTED && thrown.isPresent()) {
            hasFailed[0] = true;
            Throwable ofTest = thrown.get();
            VerdictReport report = report(verdict, notes);
            pages().naming(report, (named, page) -> ofTest, (failure, named) -> {
                named.page().ifPresent(running::shownAt);
                if (TestNames.areMessagesHidden()) {
                    running.failedWith(headline(failure));
                }
                publish(named, failure);
            });
        } else if (status == VerdictStatus.PASSED && policies.check() != AllocationCheck.NONE) {
            publishWhatFailsNothing(complete, notes);
        }
    }

    /** The status of a verdict for the reader of the test's results. */
    private enum VerdictStatus {
        /** All conditions hold. */
        PASSED(CheckResult.HELD),
        /** All findings are in the baseline. */
        BASELINED(CheckResult.KNOWN),
        /** The test has reported all findings by failing. */
        ALREADY_REPORTED(CheckResult.FAILED),
        /** A finding is not reported yet. */
        NEW(CheckResult.FAILED);

        private final CheckResult result;

        VerdictStatus(CheckResult result) {
            this.result = result;
        }
    }

    private VerdictStatus statusOf(LeakVerdict verdict, AlreadyReportedFindings reported) {
        if (policies.holdFor(verdict)) {
            return VerdictStatus.PASSED;
        }
        if (run.covers(verdict)) {
            return VerdictStatus.BASELINED;
        }
        return reported.cover(verdict) ? VerdictStatus.ALREADY_REPORTED : VerdictStatus.NEW;
    }

    /** Returns a verdict with unreported findings, judged again if the holders of buffers have to be searched. */
    private LeakVerdict explained(
            LeakVerdict verdict, Supplier<LeakVerdict> again, AllocationTracker tracker, List<String> notes) {
        if (!isToBeExplained(verdict)) {
            return verdict;
        }
        search(tracker, verdict, notes);
        return again.get();
    }

    private void noteThatTestStillRuns(List<String> notes) {
        if (test.outlivesItself()) {
            notes.add("the test still runs on the thread that its timeout gave up on; what it does from now on is no"
                    + " other test's");
        }
    }

    private static <T extends Throwable> T suppressing(@Nullable RuntimeException failedClose, T failure) {
        if (failedClose != null) {
            failure.addSuppressed(failedClose);
        }
        return failure;
    }

    /**
     * The holder of a buffer is searched only if nothing else explains why it remains, because the search costs garbage
     * collections.
     */
    private static boolean isToBeExplained(LeakVerdict verdict) {
        return !verdict.survivors(survivor -> survivor.cause() == Cause.UNEXPLAINED)
                .isEmpty();
    }

    private void search(AllocationTracker tracker, LeakVerdict verdict, List<String> notes) {
        SearchSummary searched = test.handleSearch().trace(tracker, verdict.history());
        if (searched.withoutPath() > 0 && !searched.unread().isEmpty()) {
            notes.add(String.format(
                    Locale.ROOT,
                    "who holds buffers was not looked for in %s, which cannot be read from outside",
                    String.join(", ", searched.unread())));
        }
    }

    /** Late frees and overwritten data must be visible, also where the check does not fail on them. */
    private void publishWhatFailsNothing(LeakVerdict verdict, List<String> notes) {
        if (verdict.sum().late() > 0 || !verdict.unexpectedOverwrites().isEmpty()) {
            test.publish(report(verdict, notes).text());
        }
    }

    private LeakAssertionError failure(VerdictReport report) {
        LeakAssertionError failure = LeakAssertionError.of(report.text(), report.verdict());
        failure.setStackTrace(callSiteOf(report));
        return failure;
    }

    private VerdictReport report(LeakVerdict verdict, List<String> notes) {
        VerdictReport report = VerdictReport.of(verdict, run.baseline(), test.testClass());
        for (String note : notes) {
            report = report.noting(note);
        }
        Optional<MemoryShortage> shortage = ThrownShortage.of(test.thrown());
        if (shortage.isPresent()) {
            report = report.failedBy(shortage.get());
        }
        return report.reproducedBy(test.reproduction());
    }

    /** The frames of the engine are useless: the reader looks for the line that allocated the buffer. */
    private StackTraceElement[] callSiteOf(VerdictReport report) {
        return report.survivors().stream()
                .filter(finding -> finding.status().isDefect())
                .flatMap(finding -> finding.first().origin().stream())
                .findFirst()
                .or(() -> report.verdict().unexpectedOverwrites().stream()
                        .flatMap(overwrite -> overwrite.buffer().request().origin().stream())
                        .findFirst())
                .map(origin -> origin.frames().toArray(StackTraceElement[]::new))
                .orElseGet(test::stack);
    }

    /** A leak and a budget violation need two repairs, and each is reported once. */
    private static AssertionError both(LeakAssertionError leak, AssertionError budget) {
        MultipleFailuresError both = new MultipleFailuresError("The memory check failed", List.of(leak, budget));
        both.setStackTrace(leak.getStackTrace());
        return both;
    }

    private void fail(AssertionError failure, VerdictReport report, RunningCheck running) {
        Optional<Throwable> thrown = test.thrown();
        thrown.ifPresent(unused -> test.publish(String.valueOf(failure.getMessage())));
        publish(report, failure);
        report.page().ifPresent(running::shownAt);
        if (TestNames.areMessagesHidden()) {
            running.failedWith(headline(failure));
        }
        boolean isAborted =
                thrown.filter(TestAbortedException.class::isInstance).isPresent();
        running.became(isAborted ? CheckResult.ABORTED : CheckResult.FAILED);
        raise(failure, thrown);
    }

    /** JUnit's line for several failures names no memory, so the lines of the failures replace it. */
    private static String headline(Throwable failure) {
        List<Throwable> parts =
                failure instanceof MultipleFailuresError several ? several.getFailures() : List.of(failure);
        return parts.stream()
                .map(part ->
                        String.valueOf(part.getMessage()).lines().findFirst().orElse(""))
                .collect(Collectors.joining(" · "));
    }

    /** Publishes the failure as pairs, and attaches its history. A write error must not hide a finding. */
    private void publish(VerdictReport report, Throwable failure) {
        try {
            test.publish(FailureEntry.of(report));
            if (run.reporting().attachesNextHistory()) {
                run.reporting().announce(test.attach(report.verdict().history()));
            }
        } catch (RuntimeException notWritten) {
            failure.addSuppressed(new IllegalStateException(
                    "The history of this failure could not be attached; what is written here is all there is.",
                    notWritten));
        }
    }

    /**
     * Throws the failure, or adds it to what the test threw: JUnit would do the same, but an aborted test would become
     * a failed one.
     *
     * <p>Not every error accepts a suppressed one. Printed output is in the reports of build tools, report entries are
     * not.
     */
    private static <T extends Throwable> void raise(T failure, Optional<Throwable> thrown) throws T {
        if (thrown.isEmpty()) {
            throw failure;
        }
        Throwable ofTest = thrown.get();
        ofTest.addSuppressed(failure);
        if (!List.of(ofTest.getSuppressed()).contains(failure)) {
            System.err.println(failure.getMessage());
        }
    }
}
