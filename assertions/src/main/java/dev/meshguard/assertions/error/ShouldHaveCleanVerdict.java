package dev.meshguard.assertions.error;

import static org.assertj.core.util.Strings.escapePercent;

import dev.meshguard.event.Quantities;
import dev.meshguard.report.VerdictReport;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Survivor;
import java.util.List;
import java.util.Locale;
import org.assertj.core.error.BasicErrorMessageFactory;

/**
 * The message of an assertion about leaks: only the text of the verdict.
 *
 * <p>It starts on the first line, which the summary of a build shows.
 */
public final class ShouldHaveCleanVerdict extends BasicErrorMessageFactory {

    private ShouldHaveCleanVerdict(VerdictReport report) {
        super(escapePercent(report.text()));
    }

    /** Returns the message for a verdict that is not clean. */
    public static ShouldHaveCleanVerdict shouldHaveCleanVerdict(LeakVerdict verdict) {
        return new ShouldHaveCleanVerdict(VerdictReport.of(verdict));
    }

    /** Returns the message for a verdict that is not clean on one device, or is unknown there. */
    public static ShouldHaveCleanVerdict shouldHaveCleanVerdictOnDevice(
            LeakVerdict verdict, int device, List<Survivor> notGivenBack) {
        String note = notGivenBack.isEmpty()
                ? String.format(
                        Locale.ROOT, "only device %d was checked, and nothing is known to have leaked there", device)
                : String.format(
                        Locale.ROOT,
                        "only device %d was checked: %s, %s, on it",
                        device,
                        Quantities.count(notGivenBack.size(), "buffer"),
                        Quantities.size(notGivenBack.stream()
                                .mapToLong(survivor -> survivor.buffer().size())
                                .sum()));
        return new ShouldHaveCleanVerdict(VerdictReport.of(verdict).noting(note));
    }
}
