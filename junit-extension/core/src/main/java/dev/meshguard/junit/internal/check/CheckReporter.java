package dev.meshguard.junit.internal.check;

import dev.meshguard.assertions.LeakAssertionError;
import dev.meshguard.event.shortage.MemoryRejection;
import dev.meshguard.event.shortage.MemoryShortage;
import dev.meshguard.junit.internal.AttachmentLine;
import dev.meshguard.junit.internal.BuildTool;
import dev.meshguard.junit.internal.ConfigurationKey;
import dev.meshguard.junit.internal.PageSubject;
import dev.meshguard.junit.internal.run.HistoryFolder;
import dev.meshguard.junit.internal.run.RunPages;
import dev.meshguard.junit.internal.run.SharedRunState;
import dev.meshguard.junit.internal.session.TrackedTest;
import dev.meshguard.junit.internal.session.TrackingSession;
import dev.meshguard.junit.internal.summary.CheckOutcome;
import dev.meshguard.junit.internal.summary.CheckSubject;
import dev.meshguard.junit.internal.summary.FinishedCheck;
import dev.meshguard.junit.source.SourcePart;
import dev.meshguard.report.CheckReport;
import dev.meshguard.report.SurvivorFinding;
import dev.meshguard.report.VerdictReport;
import dev.meshguard.report.findings.CheckRecord;
import dev.meshguard.report.findings.FindingRecord;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Outcome;
import dev.meshguard.verdict.budget.BudgetVerdict;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.opentest4j.MultipleFailuresError;
import org.opentest4j.TestAbortedException;

/** Turns a verdict into its effect on a test, class or run: nothing, a report entry, or a failure. */
final class CheckReporter {

    private final TrackingSession session;
    private final SharedRunState run;
    private final CheckTerms terms;
    private final TrackedTest test;
    private final Optional<NumberedPart> part;

    /** A part of a session that is checked separately. */
    private record NumberedPart(SourcePart part, int number) {}

    private CheckReporter(TrackingSession session, CheckTerms terms, Optional<NumberedPart> part) {
        this.session = session;
        this.run = session.run();
        this.terms = terms;
        this.test = terms.test();
        this.part = part;
    }

    /** Creates the reporter of a test, class or run. */
    static CheckReporter of(TrackingSession session, CheckTerms terms) {
        return new CheckReporter(session, terms, Optional.empty());
    }

    /** Creates the reporter of a numbered part of a session that is checked separately. */
    static CheckReporter ofPart(TrackingSession session, CheckTerms terms, SourcePart part, int number) {
        return new CheckReporter(session, terms, Optional.of(new NumberedPart(part, number)));
    }

    /** Returns the failed check of what other checks of a test have in common, for example growth over its rounds. */
    static FinishedCheck ofSeveral(TrackedTest test, Throwable failure) {
        return new FinishedCheck(
                Optional.empty(),
                test.name(),
                CheckOutcome.FAILED,
                Optional.empty(),
                List.of(),
                lineOf(failure, Optional.empty()),
                Optional.of(test.reproduction()));
    }

    /** Returns the first line of a failure with its page, if a summary must name it because the build tool hides messages. */
    private static Optional<String> lineOf(Throwable failure, Optional<String> page) {
        return BuildTool.ofTests().hidesMessages()
                ? Optional.of(headline(failure) + page.map("   "::concat).orElse(""))
                : Optional.empty();
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

    private CheckSubject subject() {
        return part.isPresent() ? CheckSubject.PROCESS : test.subject();
    }

    private String name() {
        return part.map(one -> test.name() + ", " + one.part().kind() + " "
                        + one.part().id())
                .orElseGet(test::name);
    }

    private PageSubject page() {
        return part.map(one -> test.page().part(one.part().kind(), one.number()))
                .orElseGet(test::page);
    }

    /**
     * Judges memory and reports the result; returns the failure of the test, if there is one.
     *
     * @param judging judges the memory; an error of it is a failed check
     */
    Optional<? extends Throwable> report(Supplier<CheckedMemory> judging) {
        try {
            return report(judging.get());
        } catch (RuntimeException | Error broken) {
            addToSummary(CheckOutcome.FAILED, Optional.empty(), List.of(), Optional.empty());
            throw broken;
        }
    }

    private Optional<? extends Throwable> report(CheckedMemory memory) {
        LeakVerdict verdict = memory.verdict();
        terms.requiredMatches().ifPresent(ofAll -> ofAll.add(verdict));
        Decision decision = decide(memory);
        CheckOutcome outcome = outcomeOf(memory, decision);
        List<SurvivorFinding> findings = SurvivorFinding.of(verdict, run.baseline());
        record(verdict, outcome, findings);
        if (decision.status() == VerdictStatus.BASELINED || showsWhatFailsNothing(verdict, outcome)) {
            test.publish(report(memory, decision).text());
        }
        Optional<? extends Throwable> failure = memory.failedClose();
        Optional<String> listed = Optional.empty();
        if (decision.isFailure()) {
            RunPages.FailurePage page = run.pages().reserve(page());
            Throwable error = published(memory, decision, report(memory, decision), page);
            listed = lineOf(error, page.location()).filter(unused -> outcome == CheckOutcome.FAILED);
            failure = decision.isNew() ? Optional.of(error) : failure;
        } else {
            writePassed(memory, decision);
        }
        addToSummary(outcome, Optional.of(verdict), findings, listed);
        return failure.filter(this::isOwnFailure);
    }

    /** Records a check that needed no verdict. */
    void reportLeakFree() {
        terms.requiredMatches().ifPresent(RequiredMatches::checked);
        addToFindings(Outcome.LEAK_FREE, CheckOutcome.PASSED, Optional.empty(), List.of());
        addToSummary(CheckOutcome.PASSED, Optional.empty(), List.of(), Optional.empty());
    }

    /**
     * Records the check of a test that allocated nothing; returns its failure if it requires a survivor. Readers of the findings file
     * need this record to see that an earlier leak of the test is gone.
     */
    Optional<? extends Throwable> reportUnused() {
        Optional<? extends Throwable> missing =
                new RequiredMatches(test, terms.expectedByOneCheck(), run.summary()).failure();
        countUnseen();
        missing.ifPresent(failure ->
                addToSummary(CheckOutcome.FAILED, Optional.empty(), List.of(), lineOf(failure, Optional.empty())));
        addToFindings(
                missing.isPresent() ? Outcome.STALE_EXPECTATION : Outcome.LEAK_FREE,
                missing.isPresent() ? CheckOutcome.FAILED : CheckOutcome.PASSED,
                Optional.empty(),
                List.of());
        return missing;
    }

    /** The status of a verdict for the reader of the test's results. */
    private enum VerdictStatus {
        /** All conditions hold. */
        PASSED,
        /** All findings are in the baseline. */
        BASELINED,
        /** The test has reported all findings by failing. */
        ALREADY_REPORTED,
        /** A finding is not reported yet. */
        NEW
    }

    /**
     * What follows from a verdict.
     *
     * @param status the status of the verdict
     * @param budgets the verdict on the budgets, if there are any
     * @param isOverBudget whether the budgets have a violation that the test has not reported itself
     */
    private record Decision(VerdictStatus status, Optional<BudgetVerdict> budgets, boolean isOverBudget) {

        /** Returns whether a failure describes the verdict: one of the check, or the test's own. */
        boolean isFailure() {
            return isNew() || status == VerdictStatus.ALREADY_REPORTED;
        }

        /** Returns whether the check makes the failure. */
        boolean isNew() {
            return status == VerdictStatus.NEW || isOverBudget;
        }
    }

    private Decision decide(CheckedMemory memory) {
        Optional<BudgetVerdict> judged = terms.budgets().verdict(memory.verdict());
        boolean isOverBudget =
                judged.filter(one -> BudgetCheck.isNew(one, test)).isPresent();
        return new Decision(statusOf(memory.verdict()), judged, isOverBudget);
    }

    private VerdictStatus statusOf(LeakVerdict verdict) {
        if (terms.policies().holdFor(verdict)) {
            return VerdictStatus.PASSED;
        }
        if (run.covers(verdict)) {
            return VerdictStatus.BASELINED;
        }
        Optional<Throwable> thrown = test.thrown();
        return thrown.isPresent() && AlreadyReportedFindings.by(thrown).covers(verdict)
                ? VerdictStatus.ALREADY_REPORTED
                : VerdictStatus.NEW;
    }

    private CheckOutcome outcomeOf(CheckedMemory memory, Decision decision) {
        if (memory.failedClose().isPresent() || decision.isFailure()) {
            boolean isAborted =
                    test.thrown().filter(TestAbortedException.class::isInstance).isPresent();
            return isAborted ? CheckOutcome.ABORTED : CheckOutcome.FAILED;
        }
        return decision.status() == VerdictStatus.BASELINED ? CheckOutcome.KNOWN : CheckOutcome.PASSED;
    }

    private void record(LeakVerdict verdict, CheckOutcome outcome, List<SurvivorFinding> findings) {
        if (terms.isChecked()) {
            run.add(verdict, () -> test.testClass().map(unused -> test.id()));
        }
        run.histories().ifPresent(folder -> keep(verdict, folder));
        addToFindings(verdict.outcome(), outcome, Optional.of(verdict), findings);
    }

    private void addToSummary(
            CheckOutcome outcome,
            Optional<LeakVerdict> verdict,
            List<SurvivorFinding> findings,
            Optional<String> failure) {
        Optional<String> reproduction =
                outcome == CheckOutcome.FAILED ? Optional.of(test.reproduction()) : Optional.empty();
        boolean isUnseen =
                verdict.filter(judged -> judged.sum().allocated() == 0).isPresent();
        if (isUnseen && outcome == CheckOutcome.PASSED) {
            countUnseen();
        }
        run.summary()
                .add(new FinishedCheck(
                        Optional.of(subject()), name(), outcome, verdict, findings, failure, reproduction));
    }

    /** A test that did not complete may not have reached its allocations. */
    private void countUnseen() {
        if (part.isEmpty() && test.subject() == CheckSubject.TEST && test.hasCompleted()) {
            run.summary().addUnseen();
        }
    }

    /** A write error must not hide a finding, and must be visible. */
    private void keep(LeakVerdict verdict, HistoryFolder folder) {
        try {
            folder.keep(test.name(), verdict.history());
        } catch (IOException | RuntimeException notWritten) {
            test.publish(folder.unwritten(notWritten));
        }
    }

    /** A test whose memory is not checked is not in the file. */
    private void addToFindings(
            Outcome outcome, CheckOutcome result, Optional<LeakVerdict> verdict, List<SurvivorFinding> findings) {
        if (terms.isChecked()) {
            boolean isCompleted = isCompleted();
            if (run.baseline().isPresent()) {
                run.checked(test.id(), CheckRecord.isConclusive(isCompleted, outcome));
            }
            run.findings()
                    .ifPresent(file -> file.add(new CheckRecord(
                            test.id(),
                            subject().name(),
                            session.sourceId(),
                            outcome,
                            result.name(),
                            isCompleted,
                            verdict.map(judged -> CheckRecord.peakBytesOf(judged.history()))
                                    .orElse(0L),
                            verdict.map(judged -> FindingRecord.of(findings, judged.overwrites()))
                                    .orElse(List.of()))));
        }
    }

    private boolean isCompleted() {
        boolean isOfTests = test.subject() == CheckSubject.CLASS && session.outlivesTest();
        return test.hasCompleted()
                && (!isOfTests
                        || run.endedMethods().haveCompleted(test.testClass().orElseThrow()));
    }

    private List<String> notes(CheckedMemory memory, Decision decision) {
        List<String> notes = new ArrayList<>(memory.notes());
        if (decision.status() == VerdictStatus.BASELINED) {
            notes.add("every leak is in the baseline, so the test does not fail");
        } else if (decision.status() == VerdictStatus.NEW) {
            notes.addAll(AlreadyReportedFindings.by(test.thrown()).notes(memory.verdict()));
        }
        return notes;
    }

    private VerdictReport report(CheckedMemory memory, Decision decision) {
        VerdictReport report = VerdictReport.of(memory.verdict(), run.baseline(), test.testClass());
        for (String note : notes(memory, decision)) {
            report = report.noting(note);
        }
        // Suppressed errors came after the failure.
        Optional<MemoryShortage> shortage = new ThrownErrors(test.thrown())
                .causes(MemoryRejection.class)
                .flatMap(rejection -> rejection.shortage().stream())
                .findFirst();
        if (shortage.isPresent()) {
            report = report.failedBy(shortage.get());
        }
        if (test.subject() == CheckSubject.RUN && report.expectationSnippet().isPresent()) {
            report = report.ofNoTest()
                    .noting("only an entry in the file of " + ConfigurationKey.EXPECTED_BUFFERS.key()
                            + " expects memory of no test");
        }
        return report.reproducedBy(test.reproduction());
    }

    /**
     * Writes the page of a failure, and attaches its history; returns the error of the check, or the test's own if that reports all
     * findings.
     *
     * <p>What cannot be written hides no finding: the error then has the reason as a suppressed exception.
     */
    private Throwable published(
            CheckedMemory memory, Decision decision, VerdictReport withoutPage, RunPages.FailurePage page) {
        VerdictReport report = page.location().map(withoutPage::shownAt).orElse(withoutPage);
        Throwable error = decision.isNew()
                ? failure(memory, decision, report)
                : test.thrown().orElseThrow();
        String text = decision.isNew() ? String.valueOf(error.getMessage()) : report.text();
        page.problem().ifPresent(error::addSuppressed);
        page.output().accept(new CheckReport(report, text, decision.budgets(), Optional.empty()));
        if (!decision.isNew()) {
            // An error that the test itself has thrown can no longer name a page.
            page.location().ifPresent(location -> test.publish("page    " + location));
        } else if (test.thrown().isPresent()) {
            test.publish(text);
        }
        try {
            if (run.attachesNextHistory()) {
                System.out.println(
                        AttachmentLine.of(test.attach(report.verdict().history()), System.getenv()));
            }
        } catch (RuntimeException notWritten) {
            error.addSuppressed(new IllegalStateException(
                    "The history of this failure could not be attached; what is written here is all there is.",
                    notWritten));
        }
        return error;
    }

    private AssertionError failure(CheckedMemory memory, Decision decision, VerdictReport report) {
        AssertionError error = decision.status() == VerdictStatus.NEW
                ? leak(decision, report)
                : BudgetCheck.failure(decision.budgets().orElseThrow(), test, report.page());
        memory.failedClose().ifPresent(error::addSuppressed);
        return error;
    }

    /** A leak and a budget violation need two repairs, and each is reported once. */
    private AssertionError leak(Decision decision, VerdictReport report) {
        LeakAssertionError leak = LeakAssertionError.of(report.text(), report.verdict());
        leak.setStackTrace(callSiteOf(report));
        if (part.isEmpty() && session.isOf(test)) {
            run.freesAfterCheck().watch(leak, session.trackerForAll(), session::poll);
        }
        if (!decision.isOverBudget()) {
            return leak;
        }
        AssertionError budget = BudgetCheck.failure(decision.budgets().orElseThrow(), test, Optional.empty());
        MultipleFailuresError both = new MultipleFailuresError("The memory check failed", List.of(leak, budget));
        both.setStackTrace(leak.getStackTrace());
        return both;
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

    /**
     * Returns whether a failure is the only error of the test; otherwise adds it to what the test threw. JUnit would do the same, but an
     * aborted test would become a failed one.
     *
     * <p>Not every error accepts a suppressed one. Printed output is in the reports of build tools, report entries are
     * not.
     */
    private boolean isOwnFailure(Throwable failure) {
        Optional<Throwable> thrown = test.thrown();
        thrown.ifPresent(ofTest -> {
            ofTest.addSuppressed(failure);
            if (!List.of(ofTest.getSuppressed()).contains(failure)) {
                System.err.println(failure.getMessage());
            }
        });
        return thrown.isEmpty();
    }

    /** Writes the page of a check that did not fail, if configured, and deletes a page of an earlier run. */
    private void writePassed(CheckedMemory memory, Decision decision) {
        try {
            run.pages().writePassed(this::page, () -> {
                VerdictReport passed = report(memory, decision);
                return new CheckReport(passed, passed.text(), decision.budgets(), Optional.empty());
            });
        } catch (IOException | RuntimeException | LinkageError notWritten) {
            test.publish(run.pages().unwritten("The page of this check", notWritten));
        }
    }

    /** Late frees and overwritten data must be visible, also where the check does not fail on them. */
    private boolean showsWhatFailsNothing(LeakVerdict verdict, CheckOutcome outcome) {
        return outcome == CheckOutcome.PASSED
                && terms.isChecked()
                && (verdict.sum().late() > 0 || !verdict.unexpectedOverwrites().isEmpty());
    }
}
