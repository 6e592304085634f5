package dev.meshguard.junit;

import dev.meshguard.assertions.LeakAssertionError;
import dev.meshguard.junit.internal.HistoryFolder;
import dev.meshguard.junit.internal.RunState;
import dev.meshguard.junit.internal.TemplateInvocation;
import dev.meshguard.junit.internal.pages.PageSubject;
import dev.meshguard.junit.internal.summary.CheckResult;
import dev.meshguard.junit.internal.summary.RunningCheck;
import dev.meshguard.report.VerdictReport;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.handle.SearchSummary;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.SurvivorGroup;
import dev.meshguard.verdict.SurvivorStatus;
import dev.meshguard.verdict.budget.BudgetVerdict;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.opentest4j.MultipleFailuresError;
import org.opentest4j.TestAbortedException;

/**
 * What follows from a verdict for the test, class or suite that it is about: nothing, a report entry, or a failure.
 *
 * @param policies what has to hold, and what becomes of it where the test threw
 * @param budgets what may be used
 * @param run what all tests share
 * @param test who is blamed
 * @param subject whose page that of the check is; found out for those that have one
 * @param template who may expect another verdict than the check, if the test is an invocation of a template of ours
 */
record CheckReporter(
        CheckPolicy policies,
        BudgetCheck budgets,
        RunState run,
        TrackedTest test,
        Supplier<PageSubject> subject,
        Optional<TemplateInvocation> template) {

    /**
     * Draws it.
     *
     * @param verdict what was found
     * @param again judges once more, when it is known who holds what is left
     * @param tracker is told who does
     * @param remarks what the reader has to know of the end
     * @param failedClose what went wrong when meshes were closed
     * @param running is told what comes of the check
     */
    void draw(
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
            if (!hasFailed[0]) {
                pages().ofWhatHeld(last[0], notes);
            }
        }
    }

    private CheckPages pages() {
        return new CheckPages(run, test, subject, budgets, this::report);
    }

    /** What cannot be written must not hide what was found, and must not go unseen. */
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
        // Of a test that is skipped too: what it used of a file is no less needed, and what it leaks is not repaired.
        if (policies.check() != AllocationCheck.NONE) {
            run.add(verdict);
        }
        Optional<Throwable> thrown = test.thrown();
        if (policies.after(thrown) == IncompleteTestPolicy.SKIP) {
            running.became(CheckResult.SKIPPED);
            raise(failedClose, thrown);
            return;
        }
        AlreadyReportedFindings told = AlreadyReportedFindings.by(thrown);
        VerdictStatus standpoint = standpoint(verdict, told);
        running.became(standpoint.result);
        if (standpoint == VerdictStatus.BASELINED) {
            notes.add("every leak is in the baseline, so the test does not fail");
            test.publish(report(verdict, notes).text());
        }
        Optional<BudgetVerdict> overBudget =
                budgets.verdict(verdict).filter(judged -> BudgetCheck.isNews(judged, test));
        if (standpoint == VerdictStatus.NEW) {
            hasFailed[0] = true;
            VerdictReport report = explained(verdict, again, tracker, told, notes);
            running.found(report.verdict());
            pages().naming(
                            report,
                            (named, page) -> {
                                LeakAssertionError leak = suppressing(failedClose, failure(named));
                                return overBudget
                                        .<AssertionError>map(judged ->
                                                both(leak, BudgetCheck.failure(judged, test, Optional.empty())))
                                        .orElse(leak);
                            },
                            (failure, named) -> fail(failure, failedClose, named, running));
        } else if (overBudget.isPresent()) {
            hasFailed[0] = true;
            pages().naming(
                            report(verdict, notes),
                            (named, page) ->
                                    suppressing(failedClose, BudgetCheck.failure(overBudget.get(), test, page)),
                            (failure, named) -> fail(failure, failedClose, named, running));
        } else if (failedClose != null) {
            running.became(CheckResult.FAILED);
            raise(failedClose, thrown);
        } else if (standpoint == VerdictStatus.ALREADY_REPORTED && thrown.isPresent()) {
            hasFailed[0] = true;
            Throwable ofTest = thrown.get();
            VerdictReport report = report(verdict, notes);
            pages().naming(
                            report,
                            (named, page) -> ofTest,
                            (failure, named) -> publishFiles(failure, named.text(), named));
        } else if (standpoint == VerdictStatus.PASSED && policies.check() != AllocationCheck.NONE) {
            publishWhatFailsNothing(verdict, notes);
        }
    }

    /** What a verdict says to whom. */
    private enum VerdictStatus {
        /** All that is asked for holds. */
        PASSED(CheckResult.HELD),
        /** All that is wrong is in the baseline. */
        BASELINED(CheckResult.KNOWN),
        /** The test has said all that is wrong by failing. */
        ALREADY_REPORTED(CheckResult.FAILED),
        /** Nobody has said it yet. */
        NEW(CheckResult.FAILED);

        private final CheckResult result;

        VerdictStatus(CheckResult fate) {
            this.result = fate;
        }
    }

    private VerdictStatus standpoint(LeakVerdict verdict, AlreadyReportedFindings told) {
        if (policies.holdFor(verdict)
                || template.filter(invocation -> invocation.accepts(verdict)).isPresent()) {
            return VerdictStatus.PASSED;
        }
        if (run.covers(verdict)) {
            return VerdictStatus.BASELINED;
        }
        return told.cover(verdict) ? VerdictStatus.ALREADY_REPORTED : VerdictStatus.NEW;
    }

    /** Returns the report of findings that nobody has told, judged again where it had to be asked who holds a buffer. */
    private VerdictReport explained(
            LeakVerdict verdict,
            Supplier<LeakVerdict> again,
            AllocationTracker tracker,
            AlreadyReportedFindings told,
            List<String> notes) {
        LeakVerdict complete = verdict;
        if (isToBeExplained(verdict)) {
            search(tracker, verdict, notes);
            complete = again.get();
        }
        notes.addAll(told.notes(complete));
        if (test.outlivesItself()) {
            notes.add("the test still runs on the thread that its timeout gave up on; what it does from now on is no"
                    + " other test's");
        }
        return report(complete, notes);
    }

    private static <T extends Throwable> T suppressing(@Nullable RuntimeException failedClose, T failure) {
        if (failedClose != null) {
            failure.addSuppressed(failedClose);
        }
        return failure;
    }

    /** Who holds a buffer is only asked where nothing else explains why it is left, because asking costs collections. */
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

    /** No check fails for them, but late frees and data that two meshes write over each other must not go unseen. */
    private void publishWhatFailsNothing(LeakVerdict verdict, List<String> notes) {
        if (verdict.sum().late() > 0 || !verdict.meshOverlaps().isEmpty()) {
            test.publish(report(verdict, notes).text());
        }
    }

    private LeakAssertionError failure(VerdictReport report) {
        LeakAssertionError failure = LeakAssertionError.of(report.text(), report.verdict());
        failure.setStackTrace(callSiteOf(report.verdict()));
        return failure;
    }

    private VerdictReport report(LeakVerdict verdict, List<String> notes) {
        VerdictReport report = run.baseline()
                .map(known -> VerdictReport.of(verdict, known))
                .orElseGet(() -> VerdictReport.of(verdict));
        for (String note : notes) {
            report = report.noting(note);
        }
        return report.reproducedBy(test.reproduction());
    }

    /** The frames of the engine would lead nowhere: where the buffer was asked for is what the reader looks for. */
    private StackTraceElement[] callSiteOf(LeakVerdict verdict) {
        return Stream.of(SurvivorStatus.LEAKED, SurvivorStatus.FREED_LATE, SurvivorStatus.MISREPORTED)
                .flatMap(standing -> verdict.groups(standing).stream())
                .map(SurvivorGroup::origin)
                .flatMap(Optional::stream)
                .findFirst()
                .map(origin -> origin.frames().toArray(StackTraceElement[]::new))
                .orElseGet(test::stack);
    }

    /** A leak and a budget that was not kept are two things to repair, and each is told once. */
    private static AssertionError both(LeakAssertionError leak, AssertionError budget) {
        MultipleFailuresError both = new MultipleFailuresError("The memory check failed", List.of(leak, budget));
        both.setStackTrace(leak.getStackTrace());
        return both;
    }

    private void fail(
            AssertionError failure,
            @Nullable RuntimeException failedClose,
            VerdictReport report,
            RunningCheck running) {
        Optional<Throwable> thrown = test.thrown();
        String text = String.valueOf(failure.getMessage());
        thrown.ifPresent(unused -> test.publish(text));
        publishFiles(failure, text, report);
        boolean isAborted =
                thrown.filter(TestAbortedException.class::isInstance).isPresent();
        running.became(isAborted ? CheckResult.ABORTED : CheckResult.FAILED);
        if (policies.after(thrown) == IncompleteTestPolicy.REPORT) {
            raise(failedClose, thrown);
        } else {
            raise(failure, thrown);
        }
    }

    /** What cannot be written must not hide what was found. */
    private void publishFiles(Throwable failure, String text, VerdictReport report) {
        try {
            test.publish(FailureEntry.of(report));
            run.reporting()
                    .nextWithFiles()
                    .ifPresent(number -> test.files(number).attach(test::attach, text, report));
        } catch (RuntimeException notWritten) {
            failure.addSuppressed(new IllegalStateException(
                    "The files of this failure could not be attached; what is written here is all there is.",
                    notWritten));
        }
    }

    /**
     * Throws it, or adds it to what the test threw: JUnit would do the same, but an aborted test would become a failed one.
     *
     * <p>Not every error can hold another one. What is printed is in the reports of build tools, where report entries are not.
     */
    private static <T extends Throwable> void raise(@Nullable T failure, Optional<Throwable> thrown) throws T {
        if (failure == null) {
            return;
        }
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
