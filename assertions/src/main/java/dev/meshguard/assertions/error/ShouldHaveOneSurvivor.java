package dev.meshguard.assertions.error;

import dev.meshguard.report.VerdictReport;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Survivor;
import org.assertj.core.error.BasicErrorMessageFactory;

/** The message for a verdict with no survivor, more than one, or one with another cause. */
public final class ShouldHaveOneSurvivor extends BasicErrorMessageFactory {

    private ShouldHaveOneSurvivor(LeakVerdict verdict, Cause cause) {
        super(
                "%nExpecting exactly one survivor, with cause %s, but found %s in:%n%s",
                cause,
                verdict.survivors().stream().map(Survivor::cause).toList(),
                unquotedString(VerdictReport.of(verdict).text()));
    }

    /** Returns the message. */
    public static ShouldHaveOneSurvivor shouldHaveOneSurvivor(LeakVerdict verdict, Cause cause) {
        return new ShouldHaveOneSurvivor(verdict, cause);
    }
}
