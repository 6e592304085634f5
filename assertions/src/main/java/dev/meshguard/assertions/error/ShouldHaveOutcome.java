package dev.meshguard.assertions.error;

import dev.meshguard.report.VerdictReport;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Outcome;
import org.assertj.core.error.BasicErrorMessageFactory;

/** The failure message for a verdict with another outcome than expected. */
public final class ShouldHaveOutcome extends BasicErrorMessageFactory {

    private ShouldHaveOutcome(LeakVerdict verdict, Outcome expected) {
        super(
                "%nExpecting outcome:%n  %s%nbut was:%n  %s%nin:%n%s",
                expected,
                verdict.outcome(),
                unquotedString(VerdictReport.of(verdict).text()));
    }

    /** Returns the message. */
    public static ShouldHaveOutcome shouldHaveOutcome(LeakVerdict verdict, Outcome expected) {
        return new ShouldHaveOutcome(verdict, expected);
    }
}
