package dev.meshguard.junit.template;

import dev.meshguard.history.AllocationHistory;
import dev.meshguard.junit.internal.BuildTool;
import dev.meshguard.junit.internal.run.RunPages;
import dev.meshguard.junit.internal.template.SourceRuntime;
import dev.meshguard.report.AccumulationReport;
import dev.meshguard.report.CheckReport;
import dev.meshguard.report.VerdictReport;
import dev.meshguard.text.Quantities;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.growth.Accumulation;
import dev.meshguard.verdict.growth.SiteGrowth;
import java.util.Locale;
import java.util.Optional;
import org.opentest4j.AssertionFailedError;

/**
 * Creates the failures of rounds that are not stable, each with its page.
 *
 * @param test the name of the test
 * @param runtime the runtime of the rounds
 * @param history the history of the rounds
 * @param accumulation the survivors of the rounds in the history
 */
record RoundsFailure(String test, SourceRuntime runtime, AllocationHistory history, Accumulation accumulation) {

    static AssertionFailedError nothingAllocated(String place) {
        return new AssertionFailedError(place
                + ": no round took memory through the mesh or the Ttnn that it is given, so nothing was judged. A mesh that a"
                + " constructor or a @BeforeAll method was given under PER_CLASS is the class's.");
    }

    static AssertionFailedError alone(String place, int rounds, int number) {
        return new AssertionFailedError(String.format(
                Locale.ROOT,
                "%s: %d of %d rounds ran, so whether memory grows was not judged. Rounds are judged together: run all of the method.",
                place,
                rounds,
                number));
    }

    AssertionFailedError growing() {
        return failure("Memory grows with the rounds of " + test + ":", "");
    }

    AssertionFailedError undecided() {
        return failure(
                "After " + Quantities.count(accumulation.rounds(), "round")
                        + ", which is atMost, it is not decided whether memory grows with the rounds of " + test + ":",
                "\nRaise atMost, or warmUp where the first rounds fill a cache.");
    }

    AssertionFailedError unknown() {
        return failure("It cannot be known whether memory grows with the rounds of " + test + ":", "");
    }

    private AssertionFailedError failure(String headline, String fix) {
        RunPages.FailurePage page = runtime.pages().reserve(runtime.subject());
        String text = headline + "\n  "
                + AccumulationReport.of(accumulation).text().replace("\n", "\n  ")
                + fix
                + page.location().map(place -> "\npage    " + place).orElse("")
                + "\nrerun   "
                + BuildTool.ofTests().command(test);
        AssertionFailedError failure = new AssertionFailedError(text);
        accumulation.sites().stream()
                .findFirst()
                .flatMap(SiteGrowth::origin)
                .ifPresent(origin -> failure.setStackTrace(origin.frames().toArray(StackTraceElement[]::new)));
        page.problem().ifPresent(failure::addSuppressed);
        page.output()
                .accept(new CheckReport(
                        VerdictReport.of(LeakCheck.create().examine(history))
                                .reproducedBy(BuildTool.ofTests().command(test)),
                        text,
                        Optional.empty(),
                        Optional.of(accumulation)));
        return failure;
    }
}
