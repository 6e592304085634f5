package dev.meshguard.junit.template;

import dev.meshguard.event.BufferLifetime;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.junit.internal.RunPages;
import dev.meshguard.junit.internal.TestNames;
import dev.meshguard.junit.internal.template.OutcomeWatcher;
import dev.meshguard.junit.internal.template.SourceRuntime;
import dev.meshguard.junit.internal.template.TemplateAnnotation;
import dev.meshguard.junit.internal.template.TemplateInvocation;
import dev.meshguard.report.CheckReport;
import dev.meshguard.report.VerdictReport;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.Scope;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.growth.Accumulation;
import dev.meshguard.verdict.growth.Trend;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.Extension;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContext;
import org.opentest4j.AssertionFailedError;

/**
 * One round of a {@link RepeatUntilStable} test.
 *
 * <p>Used by one thread at a time.
 */
final class StabilityRound implements TestTemplateInvocationContext, TemplateInvocation {

    private final TemplateAnnotation<RepeatUntilStable> use;
    private final int number;
    private final int needed;
    private final OutcomeWatcher outcome = new OutcomeWatcher();
    private @Nullable SourceRuntime runtime;
    private @Nullable AllocationTracker tracker;
    private @Nullable Scope counted;
    private boolean isSelected;
    private boolean isDecided;

    /**
     * Creates a round.
     *
     * @param number its number, from 1
     * @param needed the number of rounds before a decision
     */
    StabilityRound(TemplateAnnotation<RepeatUntilStable> use, int number, int needed) {
        this.use = use;
        this.number = number;
        this.needed = needed;
    }

    int number() {
        return number;
    }

    /** Returns whether it ended normally without a decision; a round that is not selected to run decides nothing. */
    boolean asksForMore() {
        return number < use.annotation().atMost() && (!isSelected || (outcome.hasSucceeded() && !isDecided));
    }

    @Override
    public String getDisplayName(int invocationIndex) {
        isSelected = true;
        return "round " + number + (number > use.annotation().warmUp() ? "" : " (warm-up)");
    }

    @Override
    public List<Extension> getAdditionalExtensions() {
        return List.of(outcome);
    }

    @Override
    public String location() {
        return use.location();
    }

    @Override
    public boolean sharesMesh() {
        return true;
    }

    @Override
    public boolean judgesAlone() {
        return true;
    }

    @Override
    public void begins(SourceRuntime ofTest) {
        if (tracker == null) {
            runtime = ofTest;
            tracker = ofTest.tracker();
            counted = tracker.round(number);
        }
    }

    /** Also runs after the latest frees; a failed round needs no other message. */
    @Override
    public void ended(ExtensionContext context) {
        if (counted == null || tracker == null || runtime == null) {
            return;
        }
        runtime.poll();
        counted.close();
        if (number >= needed && context.getExecutionException().isEmpty()) {
            judge(tracker.history());
        }
    }

    private void judge(AllocationHistory history) {
        RoundsFailure failure = new RoundsFailure(use.name());
        if (history.generations().stream().noneMatch(buffer -> buffer.lifetime() == BufferLifetime.USER)) {
            throw failure.nothingAllocated(location());
        }
        Accumulation accumulation =
                Accumulation.of(history).withWarmUp(use.annotation().warmUp());
        if (accumulation.rounds() < number) {
            throw failure.alone(location(), accumulation.rounds(), number);
        }
        Trend trend = accumulation.trend();
        isDecided = trend.isQuiet();
        if (trend == Trend.GROWING) {
            throw shown(page -> failure.growing(accumulation, page), history, accumulation);
        } else if (!accumulation.inconclusiveReasons().isEmpty()) {
            throw shown(page -> failure.unknown(accumulation, page), history, accumulation);
        } else if (trend == Trend.UNDECIDED && number >= use.annotation().atMost()) {
            throw shown(page -> failure.undecided(accumulation, page), history, accumulation);
        }
    }

    private AssertionFailedError shown(
            Function<Optional<String>, AssertionFailedError> failing,
            AllocationHistory history,
            Accumulation accumulation) {
        SourceRuntime shared = Objects.requireNonNull(runtime, "no round is judged before it began");
        RunPages.FailurePage page = shared.pages().reserve(shared.subject());
        AssertionFailedError failure = failing.apply(page.location());
        page.problem().ifPresent(failure::addSuppressed);
        page.write(new CheckReport(
                VerdictReport.of(LeakCheck.create().examine(history)).reproducedBy(TestNames.reproduction(use.name())),
                String.valueOf(failure.getMessage()),
                Optional.empty(),
                Optional.of(accumulation)));
        return failure;
    }
}
