package dev.meshguard.junit.template;

import dev.meshguard.event.BufferLifetime;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.junit.internal.template.SourceRuntime;
import dev.meshguard.junit.internal.template.TemplateAnnotation;
import dev.meshguard.junit.internal.template.TemplateInvocation;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.Scope;
import dev.meshguard.verdict.growth.Accumulation;
import dev.meshguard.verdict.growth.Trend;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * One round of a {@link RepeatUntilStable} test, which judges the rounds so far and decides whether another follows. The last one is the
 * first at which memory is stable, that fails, or that is {@code atMost}.
 *
 * <p>Used by one thread at a time.
 */
final class StabilityRound extends TemplateInvocation {

    private final TemplateAnnotation<RepeatUntilStable> use;
    private final int needed;
    private @Nullable SourceRuntime runtime;
    private @Nullable AllocationTracker tracker;
    private @Nullable Scope counted;
    private boolean isDecided;

    private StabilityRound(TemplateAnnotation<RepeatUntilStable> use, int number, int needed) {
        super(use, number);
        this.use = use;
        this.needed = needed;
    }

    /** Returns the first round of a test; rejects numbers with which nothing is decided. */
    static StabilityRound first(TemplateAnnotation<RepeatUntilStable> use) {
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
        return new StabilityRound(use, 1, (int) fewest);
    }

    /** A round that is not selected to run decides nothing. */
    @Override
    protected Optional<StabilityRound> next() {
        boolean asksForMore = number() < use.annotation().atMost() && (!isSelected() || (hasSucceeded() && !isDecided));
        return asksForMore ? Optional.of(new StabilityRound(use, number() + 1, needed)) : Optional.empty();
    }

    @Override
    protected String displayName() {
        return "round " + number() + (number() > use.annotation().warmUp() ? "" : " (warm-up)");
    }

    @Override
    public boolean sharesMesh() {
        return true;
    }

    @Override
    public void begins(SourceRuntime ofTest) {
        if (tracker == null) {
            runtime = ofTest;
            tracker = ofTest.tracker();
            counted = tracker.round(number());
        }
    }

    /** Runs after the latest frees; a failed round needs no other message. */
    @Override
    public void ended(ExtensionContext context) {
        if (counted == null || tracker == null || runtime == null) {
            return;
        }
        runtime.poll();
        counted.close();
        if (number() >= needed && context.getExecutionException().isEmpty()) {
            judge(tracker.history(), runtime);
        }
    }

    private void judge(AllocationHistory history, SourceRuntime shared) {
        if (history.generations().stream().noneMatch(buffer -> buffer.lifetime() == BufferLifetime.USER)) {
            throw RoundsFailure.nothingAllocated(location());
        }
        Accumulation accumulation =
                Accumulation.of(history).withWarmUp(use.annotation().warmUp());
        if (accumulation.rounds() < number()) {
            throw RoundsFailure.alone(location(), accumulation.rounds(), number());
        }
        Trend trend = accumulation.trend();
        isDecided = trend.isQuiet();
        RoundsFailure failure = new RoundsFailure(use.name(), shared, history, accumulation);
        if (trend == Trend.GROWING) {
            throw failure.growing();
        } else if (!accumulation.inconclusiveReasons().isEmpty()) {
            throw failure.unknown();
        } else if (trend == Trend.UNDECIDED && number() >= use.annotation().atMost()) {
            throw failure.undecided();
        }
    }
}
