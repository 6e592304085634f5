package dev.meshguard.assertions.error;

import dev.meshguard.report.DifferenceReport;
import dev.meshguard.verdict.InconclusiveReason;
import dev.meshguard.verdict.difference.HistoryDifference;
import org.assertj.core.error.BasicErrorMessageFactory;

/** The failure message for a run that uses memory differently from another. */
public final class ShouldHaveSameUsage extends BasicErrorMessageFactory {

    private ShouldHaveSameUsage(String contrast, String text) {
        super(
                "%nExpecting memory to be used as in the other run, but %s:%n  %s",
                unquotedString(contrast), unquotedString(text.replace("\n", "\n  ")));
    }

    /** Returns the message. */
    public static ShouldHaveSameUsage shouldHaveSameUsage(HistoryDifference difference) {
        return new ShouldHaveSameUsage(
                "since then", DifferenceReport.of(difference).text());
    }

    /** Returns the message for runs without a difference, of which one lacks reports. */
    public static ShouldHaveSameUsage shouldLackNoReports(InconclusiveReason missing) {
        return new ShouldHaveSameUsage("that cannot be known", missing.text());
    }
}
