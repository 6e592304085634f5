package dev.meshguard.assertions.error;

import dev.meshguard.report.DifferenceReport;
import dev.meshguard.verdict.difference.DeviceDifference;
import dev.meshguard.verdict.difference.HistoryDifference;
import org.assertj.core.error.BasicErrorMessageFactory;

/** The message for a run that uses memory differently from another, or for devices that do. */
public final class ShouldHaveSameUsage extends BasicErrorMessageFactory {

    private ShouldHaveSameUsage(String expectation, DifferenceReport difference) {
        super(expectation + ":%n  %s", unquotedString(difference.text().replace("\n", "\n  ")));
    }

    /** Returns the message. */
    public static ShouldHaveSameUsage shouldHaveSameUsage(HistoryDifference difference) {
        return new ShouldHaveSameUsage(
                "%nExpecting memory to be used as in the other run, but since then", DifferenceReport.of(difference));
    }

    /** Returns the message for devices of one run. */
    public static ShouldHaveSameUsage shouldHaveSameUsageOnAllDevices(DeviceDifference difference) {
        return new ShouldHaveSameUsage(
                "%nExpecting all devices to use memory alike, but", DifferenceReport.of(difference));
    }
}
