package dev.meshguard.assertions;

import static dev.meshguard.assertions.Failures.textOf;
import static dev.meshguard.assertions.LeakAssertions.assertThat;
import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.event.BufferType.L1;
import static dev.meshguard.event.BufferType.SYSTEM_MEMORY;
import static dev.meshguard.tracker.script.ExpectedText.expected;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.SourceDescription;
import dev.meshguard.event.SourceVocabulary;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.OriginCapture;
import dev.meshguard.tracker.OriginFilter;
import dev.meshguard.verdict.budget.BudgetSpec;
import dev.meshguard.verdict.growth.Accumulation;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;

class GrowthAssertionsTests {

    private final AllocationTracker tracker = withoutOrigins();

    @Test
    void aCacheDoesNotGrowAndHasSettled() {
        rounds(5, 0, 0, 0);

        assertThat(tracker)
                .accumulation()
                .doesNotGrow()
                .hasSettled()
                .memoryGrowsBy(DRAM, 0, 0)
                .memoryGrowsBy(L1, 7, 0);
    }

    @Test
    void whatSettlesDoesNotGrowAndHasNotSettled() {
        rounds(3, 1, 0);

        assertThat(tracker).accumulation().doesNotGrow().afterWarmUpOf(0).doesNotGrow();
        Assertions.assertThat(textOf(() -> assertThat(tracker).accumulation().hasSettled()))
                .startsWith("\nExpecting nothing to be added after the warm-up, but:\n  SETTLING  3 rounds, ");
    }

    @Test
    void aLeakGrows() {
        rounds(1, 1, 1, 1);

        assertThat(tracker).accumulation().memoryGrowsBy(DRAM, 0, 64);
        Assertions.assertThat(textOf(() -> assertThat(tracker).accumulation().doesNotGrow()))
                .startsWith("\nExpecting memory not to grow from round to round, but:\n  GROWING  4 rounds, ");
    }

    @Test
    void reportsAnotherSlopeWithTheWholeAccumulation() {
        rounds(1, 1, 1, 1);

        Assertions.assertThat(textOf(() -> assertThat(tracker).accumulation().memoryGrowsBy(DRAM, 0, 65)))
                .startsWith(
                        "\nExpecting DRAM of device 0 to grow by exactly 65 B in each round after the warm-up, but:\n  GROWING");
        Assertions.assertThat(textOf(() -> assertThat(tracker).accumulation().memoryGrowsBy(DRAM, 0, 0)))
                .startsWith(
                        "\nExpecting DRAM of device 0 to grow by exactly 0 B in each round after the warm-up, but:\n  GROWING");
        Assertions.assertThat(textOf(() -> assertThat(tracker).accumulation().memoryGrowsBy(L1, 0, 64)))
                .startsWith("\nExpecting L1 of device 0 to grow");
    }

    @Test
    void anUnevenSlopeIsNoExactOne() {
        rounds(0, 1, 3, 2);

        Assertions.assertThat(textOf(() -> assertThat(tracker).accumulation().memoryGrowsBy(DRAM, 0, 128)))
                .contains("growing by about 128 B per round");
    }

    @Test
    void objectsOfUnknownSizeAreNoMemoryThatGrowsByNothing() {
        tracker.rounds(4, round -> tracker.lease(AllocationDetails.user(), OriginFilter.none(), SYSTEM_MEMORY, 0));

        Assertions.assertThat(textOf(() ->
                        assertThat(tracker).accumulation().memoryGrowsBy(SYSTEM_MEMORY, HistoryEvent.NO_DEVICE, 0)))
                .contains("GROWING  4 rounds");
        assertThat(tracker).accumulation().memoryGrowsBy(DRAM, 0, 0);
    }

    @Test
    void moreWarmUpThanAnyNumberOfRoundsShowsNothing() {
        rounds(0, 0, 0);

        Assertions.assertThat(textOf(() -> assertThat(tracker)
                        .accumulation()
                        .afterWarmUpOf(Integer.MAX_VALUE)
                        .doesNotGrow()))
                .contains("3 of at least 2147483649 rounds ended");
    }

    @Test
    void tooFewRoundsShowNothing() {
        rounds(0, 0);

        Assertions.assertThat(textOf(() -> assertThat(tracker).accumulation().doesNotGrow()))
                .contains("2 of at least 3 rounds ended");
        Assertions.assertThat(textOf(() -> assertThat(tracker).accumulation().memoryGrowsBy(DRAM, 0, 0)))
                .contains("2 of at least 3 rounds ended");
    }

    @Test
    void softAssertionsCollectWhatGrows() {
        rounds(1, 1, 1);
        LeakSoftAssertions softly = new LeakSoftAssertions();

        softly.assertThat(Accumulation.of(tracker.history())).doesNotGrow().hasSettled();
        softly.assertThat(tracker).accumulation().doesNotGrow();

        Assertions.assertThat(softly.errorsCollected()).hasSize(3);
    }

    @Test
    void aBudgetThatIsKeptPasses() {
        tracker.allocated(0, DRAM, 4_096, 64);

        assertThat(tracker)
                .staysWithin(
                        BudgetSpec.of(DRAM).peakBytes(64).liveBytes(64).buffers(1),
                        BudgetSpec.of(L1).peakBytes(0));
    }

    @Test
    void aBudgetThatIsNotKeptFailsWithItsTextAndCarriesWhatWasFound() {
        tracker.allocated(0, DRAM, 4_096, 64);

        BudgetAssertionError failure = catchThrowableOfType(
                BudgetAssertionError.class,
                () -> assertThat(tracker).staysWithin(BudgetSpec.of(DRAM).peakBytes(60)));

        Assertions.assertThat(failure).hasMessage(expected(tracker.history(), """
                OVER BUDGET  1 limit of 1 budget not met
                1. DRAM of device 0: peak 64 B, 4 B over the budget of 60 B
                   at {allocated} in START; circular buffers included: 0 B of it
                   held 64 B in 1 buffer: DRAM buffers of 64 B"""));
        Assertions.assertThat(failure.verdict().violations()).hasSize(1);
    }

    @Test
    void aBudgetOfObjectsNamesNoSize() {
        tracker.sourceAttached(SourceDescription.of("database").speaking(SourceVocabulary.ofObjects("Cursor")));
        tracker.lease(AllocationDetails.user().fromSource("database"), OriginFilter.none(), SYSTEM_MEMORY, 0);

        Assertions.assertThat(textOf(() -> assertThat(tracker)
                        .staysWithin(BudgetSpec.of(SYSTEM_MEMORY).buffers(0))))
                .isEqualTo(expected(tracker.history(), """
                OVER BUDGET  1 limit of 1 budget not met
                1. memory of no device: 1 buffer at once, 1 more than the budget of 0
                   at {allocated} in START
                   held 1 Cursor: Cursor"""));
    }

    @Test
    void aRunThatUsesMemoryAsAnotherPasses() {
        tracker.allocated(0, DRAM, 4_096, 64);
        AllocationTracker other = withoutOrigins();
        other.allocated(0, DRAM, 8_192, 64);

        assertThat(tracker).hasSameUsageAs(other.history());
    }

    @Test
    void reportsWhatChangedInARunWithMoreSurvivors() {
        AllocationTracker other = withoutOrigins();
        tracker.allocated(0, DRAM, 8_192, 64);

        Assertions.assertThat(textOf(() -> assertThat(tracker).hasSameUsageAs(other.history())))
                .startsWith("\nExpecting memory to be used as in the other run, but since then:\n  CHANGED  1 site ");
    }

    private void rounds(int... buffers) {
        tracker.rounds(buffers.length, round -> {
            for (int buffer = 0; buffer < buffers[round - 1]; buffer++) {
                tracker.allocated(0, DRAM, (round * 100L + buffer) * 64, 64);
            }
        });
    }

    private static AllocationTracker withoutOrigins() {
        return AllocationTracker.builder().originCapture(OriginCapture.NONE).build();
    }
}
