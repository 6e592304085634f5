package dev.meshguard.assertions.error;

import dev.meshguard.report.VerdictReport;
import dev.meshguard.verdict.LeakVerdict;
import org.assertj.core.error.BasicErrorMessageFactory;

/** The message of a verdict with no survivor, or more than one. */
public final class ShouldHaveOneSurvivor extends BasicErrorMessageFactory {

    private ShouldHaveOneSurvivor(LeakVerdict verdict) {
        super(
                "%nExpecting exactly one survivor but found %s in:%n%s",
                verdict.survivors().size(),
                unquotedString(VerdictReport.of(verdict).text()));
    }

    /** Returns the message. */
    public static ShouldHaveOneSurvivor shouldHaveOneSurvivor(LeakVerdict verdict) {
        return new ShouldHaveOneSurvivor(verdict);
    }
}
