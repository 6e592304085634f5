package dev.meshguard.assertions;

import static dev.meshguard.assertions.error.ShouldNotAccumulate.shouldGrowBy;
import static dev.meshguard.assertions.error.ShouldNotAccumulate.shouldHaveSettled;
import static dev.meshguard.assertions.error.ShouldNotAccumulate.shouldHaveStableProgramCache;
import static dev.meshguard.assertions.error.ShouldNotAccumulate.shouldNotGrow;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.verdict.DeviceMemory;
import dev.meshguard.verdict.growth.Accumulation;
import dev.meshguard.verdict.growth.MemoryGrowth;
import dev.meshguard.verdict.growth.Trend;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Assertions about the survivors of repeated rounds.
 *
 * <pre>{@code
 * tracker.rounds(4, round -> decode(tokens));
 * assertThat(tracker).accumulation().doesNotGrow();
 * }</pre>
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class AccumulationAssert extends MemoryAssert<AccumulationAssert, Accumulation> {

    AccumulationAssert(Accumulation actual, FailureSink sink) {
        super(actual, AccumulationAssert.class, sink);
    }

    /**
     * Sets the number of warm-up rounds; 1 by default.
     *
     * @throws IllegalArgumentException if it is less than 0
     */
    public AccumulationAssert afterWarmUpOf(int rounds) {
        isNotNull();
        return new AccumulationAssert(actual.withWarmUp(rounds), sink);
    }

    /**
     * Verifies that no memory grows from round to round: it has settled, or is settling.
     *
     * <p>Also fails if the result is unknown, because the rounds are too few, overlap, or reports are missing.
     *
     * <pre>{@code
     * tracker.rounds(4, round -> ttnn.add(a, b)); // fills the program cache in the first round
     * assertThat(tracker).accumulation().doesNotGrow(); // succeeds if the sum is freed in each round
     * assertThat(tracker).accumulation().doesNotGrow(); // fails if it is not: [1, 1, 1, 1]
     * }</pre>
     *
     * @throws AssertionError if any does, or if that is unknown
     */
    public AccumulationAssert doesNotGrow() {
        isNotNull();
        return actual.trend().isQuiet() ? myself : failed(shouldNotGrow(actual));
    }

    /**
     * Verifies that nothing was added after the warm-up. A filled cache, {@code [5, 0, 0]}, satisfies this; one that is
     * still filling, {@code [3, 1, 0]}, does not.
     *
     * <pre>{@code
     * assertThat(tracker).accumulation().hasSettled(); // succeeds with [5, 0, 0], fails with [3, 1, 0]
     * assertThat(tracker).accumulation().afterWarmUpOf(2).hasSettled(); // fails with three rounds: that shows nothing yet
     * }</pre>
     *
     * @throws AssertionError if anything was, or if that is unknown
     */
    public AccumulationAssert hasSettled() {
        isNotNull();
        return actual.trend() == Trend.SETTLED ? myself : failed(shouldHaveSettled(actual));
    }

    /**
     * Verifies that the program cache does not grow from round to round: neither by one operation nor by all together.
     *
     * <p>A call whose shapes differ from all earlier ones adds a program, and its kernel binary stays in memory until the cache is
     * cleared. The message lists the shapes that missed. Also fails if the growth is unknown, because no source reported that a
     * cache keeps a program, the rounds are too few, overlap, or reports are missing.
     *
     * <pre>{@code
     * tracker.rounds(4, round -> decode(tokens));
     * assertThat(tracker).accumulation().hasStableProgramCache(); // fails if each round has a longer sequence
     * }</pre>
     *
     * @throws AssertionError if it grows, or if that is unknown
     */
    public AccumulationAssert hasStableProgramCache() {
        isNotNull();
        return actual.programCacheTrend().isQuiet() ? myself : failed(shouldHaveStableProgramCache(actual));
    }

    /**
     * Verifies the exact growth of one memory, in bytes a round after the warm-up; 0 for one that does not grow. Fails if objects of unknown size
     * become more in memory outside devices.
     *
     * <pre>{@code
     * assertThat(tracker).accumulation().memoryGrowsBy(BufferType.DRAM, 0, 524_288); // succeeds if each round leaves a tensor
     * assertThat(tracker).accumulation().memoryGrowsBy(BufferType.DRAM, 0, 0); // fails
     * }</pre>
     *
     * @throws AssertionError if it grows by another number, unevenly, or if that is unknown
     */
    public AccumulationAssert memoryGrowsBy(BufferType type, int device, long bytes) {
        isNotNull();
        DeviceMemory memory = new DeviceMemory(device, type);
        return growsBy(memory, bytes) ? myself : failed(shouldGrowBy(memory, bytes, actual));
    }

    private boolean growsBy(DeviceMemory memory, long bytes) {
        if (!actual.inconclusiveReasons().isEmpty() || (isOutsideDevices(memory) && unknownBytesGrow())) {
            return false;
        }
        return actual.memory().stream()
                .filter(growth ->
                        growth.memory().equals(memory) && growth.units().isEmpty())
                .map(MemoryGrowth::amounts)
                .findFirst()
                .map(retained -> bytes == 0
                        ? retained.trend().isQuiet()
                        : retained.trend() == Trend.GROWING && retained.isSteady() && retained.perRound() == bytes)
                .orElse(bytes == 0);
    }

    private static boolean isOutsideDevices(DeviceMemory memory) {
        return memory.device() == HistoryEvent.NO_DEVICE;
    }

    private boolean unknownBytesGrow() {
        return !actual.memory().stream()
                .filter(growth -> growth.units().isPresent())
                .allMatch(growth -> growth.amounts().trend().isQuiet());
    }
}
