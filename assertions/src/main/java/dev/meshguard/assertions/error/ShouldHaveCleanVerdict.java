package dev.meshguard.assertions.error;

import static org.assertj.core.util.Strings.escapePercent;

import dev.meshguard.report.VerdictReport;
import dev.meshguard.verdict.LeakVerdict;
import org.assertj.core.error.BasicErrorMessageFactory;

/**
 * The failure message of an assertion that nothing leaked: only the text of the verdict.
 *
 * <p>It starts on the first line, which the summary of a build shows.
 */
public final class ShouldHaveCleanVerdict extends BasicErrorMessageFactory {

    private ShouldHaveCleanVerdict(LeakVerdict verdict) {
        super(escapePercent(VerdictReport.of(verdict).text()));
    }

    /** Returns the message for a verdict that is not clean. */
    public static ShouldHaveCleanVerdict shouldHaveCleanVerdict(LeakVerdict verdict) {
        return new ShouldHaveCleanVerdict(verdict);
    }
}
