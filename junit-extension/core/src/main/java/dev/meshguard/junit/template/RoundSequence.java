package dev.meshguard.junit.template;

import dev.meshguard.junit.internal.template.TemplateAnnotation;
import dev.meshguard.verdict.growth.Trend;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Supplies the rounds of one {@link RepeatUntilStable} test until its memory is stable, a round fails, or there are enough.
 *
 * <p>Used by one thread.
 */
final class RoundSequence {

    private final TemplateAnnotation<RepeatUntilStable> use;
    private final int needed;
    private @Nullable StabilityRound last;

    RoundSequence(TemplateAnnotation<RepeatUntilStable> use) {
        this.use = use;
        RepeatUntilStable asked = use.annotation();
        use.requireAtLeast(0, "warmUp", asked.warmUp());
        use.requireAtLeast(1, "atLeast", asked.atLeast());
        long fewest = Math.max(asked.atLeast(), (long) asked.warmUp() + Trend.MIN_ROUNDS_AFTER_WARM_UP);
        if (asked.atMost() < fewest) {
            throw use.rejected(
                    "atMost = " + asked.atMost(),
                    String.format(
                            Locale.ROOT,
                            "With warmUp = %d and atLeast = %d there are %d rounds before anything is decided: give as many or"
                                    + " more.",
                            asked.warmUp(),
                            asked.atLeast(),
                            fewest));
        }
        this.needed = (int) fewest;
    }

    /** Returns the next round, unless the previous one was the last. */
    Optional<StabilityRound> next() {
        StabilityRound before = last;
        if (before != null && !before.asksForMore()) {
            return Optional.empty();
        }
        StabilityRound next = new StabilityRound(use, before == null ? 1 : before.number() + 1, needed);
        last = next;
        return Optional.of(next);
    }
}
