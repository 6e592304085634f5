package dev.meshguard.junit.template;

import dev.meshguard.event.Quantities;
import dev.meshguard.junit.internal.TestNames;
import dev.meshguard.report.AccumulationReport;
import dev.meshguard.verdict.growth.Accumulation;
import dev.meshguard.verdict.growth.SiteGrowth;
import java.util.Locale;
import java.util.Optional;
import org.opentest4j.AssertionFailedError;

/** Creates the failures of rounds that are not stable. */
final class RoundsFailure {

    private final String test;

    /** Creates the failures of a test with the given name. */
    RoundsFailure(String test) {
        this.test = test;
    }

    AssertionFailedError growing(Accumulation accumulation, Optional<String> page) {
        return failure("Memory grows with the rounds of " + test + ":", accumulation, Optional.empty(), page);
    }

    AssertionFailedError undecided(Accumulation accumulation, Optional<String> page) {
        return failure(
                "After " + Quantities.count(accumulation.rounds(), "round")
                        + ", which is atMost, it is not decided whether memory" + " grows with the rounds of " + test
                        + ":",
                accumulation,
                Optional.of("Raise atMost, or warmUp where the first rounds fill a cache."),
                page);
    }

    AssertionFailedError unknown(Accumulation accumulation, Optional<String> page) {
        return failure(
                "It cannot be known whether memory grows with the rounds of " + test + ":",
                accumulation,
                Optional.empty(),
                page);
    }

    AssertionFailedError nothingAllocated(String place) {
        return new AssertionFailedError(place
                + ": no round took memory through the mesh or the Ttnn that it is given, so nothing was judged. A mesh that a"
                + " constructor or a @BeforeAll method was given under PER_CLASS is the class's.");
    }

    AssertionFailedError alone(String place, int rounds, int number) {
        return new AssertionFailedError(String.format(
                Locale.ROOT,
                "%s: %d of %d rounds ran, so whether memory grows was not judged. Rounds are judged together: run all of the method.",
                place,
                rounds,
                number));
    }

    private AssertionFailedError failure(
            String headline, Accumulation accumulation, Optional<String> remedy, Optional<String> page) {
        StringBuilder text = new StringBuilder(headline)
                .append("\n  ")
                .append(AccumulationReport.of(accumulation).text().replace("\n", "\n  "));
        remedy.ifPresent(words -> text.append('\n').append(words));
        page.ifPresent(place -> text.append("\npage    ").append(place));
        text.append("\nrerun   ").append(TestNames.reproduction(test));
        AssertionFailedError failure = new AssertionFailedError(text.toString());
        accumulation.sites().stream()
                .findFirst()
                .flatMap(SiteGrowth::origin)
                .ifPresent(origin -> failure.setStackTrace(origin.frames().toArray(StackTraceElement[]::new)));
        return failure;
    }
}
