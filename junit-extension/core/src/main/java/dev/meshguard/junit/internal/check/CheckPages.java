package dev.meshguard.junit.internal.check;

import dev.meshguard.junit.internal.PageSettings;
import dev.meshguard.junit.internal.PageSubject;
import dev.meshguard.junit.internal.RunPages;
import dev.meshguard.junit.internal.SharedRunState;
import dev.meshguard.junit.internal.session.TrackedTest;
import dev.meshguard.report.CheckReport;
import dev.meshguard.report.VerdictReport;
import dev.meshguard.verdict.LeakVerdict;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Supplier;

/**
 * The page of one check, named by the failure that it describes.
 *
 * <p>A page that cannot be written hides no finding: the failure then names no page and gives the reason.
 *
 * @param run the settings of pages
 * @param test the test to which errors are reported
 * @param subject the subject of the page
 * @param budgets the budget verdict shown beside the leak verdict
 * @param report creates the report of a verdict with notes
 */
record CheckPages(
        SharedRunState run,
        TrackedTest test,
        Supplier<PageSubject> subject,
        BudgetCheck budgets,
        BiFunction<LeakVerdict, List<String>, VerdictReport> report) {

    /** Creates the failure of a check. */
    @FunctionalInterface
    interface FailureFactory<T extends Throwable> {
        /**
         * Creates the failure.
         *
         * @param named the report, which names the page if there is one
         * @param page the page, if there is one
         */
        T failure(VerdictReport named, Optional<String> page);
    }

    /** Reports the failure of a check. */
    @FunctionalInterface
    interface FailureReporter<T extends Throwable> {
        /** Reports the failure, with its report. */
        void describe(T failure, VerdictReport named);
    }

    /**
     * Reports a failure that names its page, or one that names none if no page is configured or it could not be
     * written.
     */
    <T extends Throwable> void naming(VerdictReport plain, FailureFactory<T> factory, FailureReporter<T> reporter) {
        VerdictReport[] shown = {plain};
        T failure = run.reporting()
                .pages()
                .naming(
                        subject,
                        page -> {
                            shown[0] = page.map(plain::shownAt).orElse(plain);
                            return factory.failure(shown[0], page);
                        },
                        made -> parts(shown[0], textOf(made, shown[0])));
        reporter.describe(failure, shown[0]);
    }

    /** A failure that the test itself has thrown can no longer name a page. */
    private String textOf(Throwable failure, VerdictReport named) {
        return test.thrown().equals(Optional.of(failure)) ? named.text() : String.valueOf(failure.getMessage());
    }

    /** Writes the page of a check that did not fail, if configured, and deletes a page of an earlier run. */
    void writePassed(LeakVerdict verdict, List<String> notes) {
        RunPages pages = run.reporting().pages();
        if (!pages.areOfAll() && !pages.hasOldPages()) {
            return;
        }
        try {
            if (pages.areOfAll()) {
                VerdictReport passed = report.apply(verdict, notes);
                pages.writeUnlessFailed(subject.get(), parts(passed, passed.text()));
            } else {
                pages.forget(subject.get());
            }
        } catch (IOException | RuntimeException | LinkageError notWritten) {
            test.publish(String.format(
                    Locale.ROOT,
                    "The page of this check could not be written to the folder of %s: %s",
                    PageSettings.FOLDER,
                    notWritten));
        }
    }

    private CheckReport parts(VerdictReport shown, String text) {
        return new CheckReport(shown, text, budgets.verdict(shown.verdict()), Optional.empty());
    }
}
