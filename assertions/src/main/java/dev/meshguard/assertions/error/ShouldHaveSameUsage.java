package dev.meshguard.assertions.error;

import dev.meshguard.report.DifferenceReport;
import dev.meshguard.verdict.difference.HistoryDifference;
import org.assertj.core.error.BasicErrorMessageFactory;

/** The failure message for a run that uses memory differently from another. */
public final class ShouldHaveSameUsage extends BasicErrorMessageFactory {

    private ShouldHaveSameUsage(HistoryDifference difference) {
        super(
                "%nExpecting memory to be used as in the other run, but since then:%n  %s",
                unquotedString(DifferenceReport.of(difference).text().replace("\n", "\n  ")));
    }

    /** Returns the message. */
    public static ShouldHaveSameUsage shouldHaveSameUsage(HistoryDifference difference) {
        return new ShouldHaveSameUsage(difference);
    }
}
