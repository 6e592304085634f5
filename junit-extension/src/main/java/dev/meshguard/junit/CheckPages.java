package dev.meshguard.junit;

import dev.meshguard.junit.internal.RunState;
import dev.meshguard.junit.internal.pages.PageParts;
import dev.meshguard.junit.internal.pages.PageSettings;
import dev.meshguard.junit.internal.pages.PageSubject;
import dev.meshguard.junit.internal.pages.RunPages;
import dev.meshguard.report.VerdictReport;
import dev.meshguard.verdict.LeakVerdict;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Supplier;

/**
 * The page of one check: named by the failure whose text stands on it.
 *
 * <p>A page that cannot be written hides no finding: the failure then does not name one, and says why.
 *
 * @param run where pages go
 * @param test who is told what goes wrong
 * @param subject whose page it is
 * @param budgets what stands on it beside the verdict
 * @param report says what there is to say of a verdict, with notes
 */
record CheckPages(
        RunState run,
        TrackedTest test,
        Supplier<PageSubject> subject,
        BudgetCheck budgets,
        BiFunction<LeakVerdict, List<String>, VerdictReport> report) {

    /** Makes the failure of a check. */
    @FunctionalInterface
    interface Failing<T extends Throwable> {
        /**
         * Makes it.
         *
         * @param named the report, which names the page if there is one
         * @param page the page, if there is one
         */
        T failure(VerdictReport named, Optional<String> page);
    }

    /** Says the failure of a check. */
    @FunctionalInterface
    interface Saying<T extends Throwable> {
        /** Says it, with the report that goes with it. */
        void describe(T failure, VerdictReport named);
    }

    /** Says a failure that names its page, or one that names none where none is wanted or could be written. */
    <T extends Throwable> void naming(VerdictReport plain, Failing<T> failing, Saying<T> saying) {
        VerdictReport[] said = {plain};
        T failure = run.reporting()
                .pages()
                .naming(
                        subject,
                        page -> {
                            said[0] = page.map(plain::shownAt).orElse(plain);
                            return failing.failure(said[0], page);
                        },
                        made -> parts(said[0], textOf(made, said[0])));
        saying.describe(failure, said[0]);
    }

    /** What the test has said itself cannot name a page any more. */
    private String textOf(Throwable failure, VerdictReport named) {
        return test.thrown().equals(Optional.of(failure)) ? named.text() : String.valueOf(failure.getMessage());
    }

    /** Leaves the page of a check that did not fail, if that is wanted, and none of an earlier run. */
    void ofWhatHeld(LeakVerdict verdict, List<String> notes) {
        RunPages pages = run.reporting().pages();
        if (!pages.areOfAll() && !pages.hasOldPages()) {
            return;
        }
        try {
            if (pages.areOfAll()) {
                VerdictReport held = report.apply(verdict, notes);
                pages.writeUnlessFailed(subject.get(), parts(held, held.text()));
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

    private PageParts parts(VerdictReport said, String text) {
        return new PageParts(said, text, run.baseline(), budgets.verdict(said.verdict()), Optional.empty());
    }
}
