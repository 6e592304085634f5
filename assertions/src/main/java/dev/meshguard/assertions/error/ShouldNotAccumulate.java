package dev.meshguard.assertions.error;

import dev.meshguard.report.AccumulationReport;
import dev.meshguard.text.Quantities;
import dev.meshguard.verdict.DeviceMemory;
import dev.meshguard.verdict.growth.Accumulation;
import org.assertj.core.error.BasicErrorMessageFactory;

/**
 * The failure messages of assertions that repeated rounds leave nothing behind, with the whole text of the accumulation.
 */
public final class ShouldNotAccumulate extends BasicErrorMessageFactory {

    private ShouldNotAccumulate(String expectation, String text) {
        super("%nExpecting %s, but:%n  %s", unquotedString(expectation), unquotedString(text.replace("\n", "\n  ")));
    }

    /** Returns the message for a program cache that grows, or for which that is unknown. */
    public static ShouldNotAccumulate shouldHaveStableProgramCache(Accumulation accumulation) {
        return new ShouldNotAccumulate(
                "the program cache not to grow from round to round",
                AccumulationReport.of(accumulation).programCacheText());
    }

    /** Returns the message for memory that grows, or whose growth is unknown. */
    public static ShouldNotAccumulate shouldNotGrow(Accumulation accumulation) {
        return new ShouldNotAccumulate(
                "memory not to grow from round to round",
                AccumulationReport.of(accumulation).text());
    }

    /** Returns the message for memory to which something was added after the warm-up. */
    public static ShouldNotAccumulate shouldHaveSettled(Accumulation accumulation) {
        return new ShouldNotAccumulate(
                "nothing to be added after the warm-up",
                AccumulationReport.of(accumulation).text());
    }

    /** Returns the message for memory that grows by another amount. */
    public static ShouldNotAccumulate shouldGrowBy(DeviceMemory memory, long bytes, Accumulation accumulation) {
        return new ShouldNotAccumulate(
                memory + " to grow by exactly " + Quantities.size(bytes) + " in each round after the warm-up",
                AccumulationReport.of(accumulation).text());
    }
}
