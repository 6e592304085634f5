package dev.meshguard.junit.internal.config;

import dev.meshguard.junit.AllocationCheck;
import dev.meshguard.junit.internal.ConfigurationKey;
import dev.meshguard.junit.internal.GracePeriod;
import dev.meshguard.tracker.OriginCapture;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Outcome;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;

/**
 * The resolved settings of a memory check.
 *
 * @param check the condition that must hold
 * @param origins the calls whose stacks are captured
 * @param grace the longest wait for late frees
 */
public record CheckPolicy(AllocationCheck check, OriginCapture origins, Duration grace) {

    /**
     * Reads the configuration parameters of a run.
     *
     * @param parameters returns the value of a name
     * @throws IllegalArgumentException if a value is invalid; the message names it
     */
    static CheckPolicy of(Function<String, Optional<String>> parameters) {
        return new CheckPolicy(
                ConfigurationKey.CHECK.constant(AllocationCheck.class, parameters),
                ConfigurationKey.ORIGINS.constant(OriginCapture.class, parameters),
                grace(ConfigurationKey.GRACE.given(parameters).orElse(ConfigurationKey.GRACE.defaultValue())));
    }

    private static Duration grace(String value) {
        try {
            return GracePeriod.parse(value);
        } catch (IllegalArgumentException noDuration) {
            throw ConfigurationKey.GRACE.rejected(value, String.valueOf(noDuration.getMessage()));
        }
    }

    /** Returns whether a verdict satisfies the check. */
    public boolean holdFor(LeakVerdict verdict) {
        return switch (check) {
            case CLEAN, DEFAULT -> isClean(verdict);
            case NO_LEAKS -> verdict.isLeakFree() && verdict.meetsExpectations();
            case ONLY_EXPECTED_SYSTEM_BUFFERS -> verdict.outcome().compareTo(Outcome.EXPECTED_ONLY) <= 0;
            case NONE -> true;
        };
    }

    private static boolean isClean(LeakVerdict verdict) {
        return verdict.isLeakFree()
                && verdict.hasBalancedReports()
                && verdict.meetsExpectations()
                && verdict.unexpectedOverwrites().isEmpty();
    }

    /** Returns whether a check waits for late frees. */
    public boolean waits() {
        return !grace.isZero() && check != AllocationCheck.NONE;
    }

    /** Returns these policies for a tracker with another origin capture. */
    public CheckPolicy withOrigins(OriginCapture other) {
        return new CheckPolicy(check, other, grace);
    }

    /** Returns these policies with a wait for late frees of at least some time. */
    public CheckPolicy waitingAtLeast(Duration least) {
        return grace.compareTo(least) >= 0 ? this : new CheckPolicy(check, origins, least);
    }

    /** Returns these policies for a test that is judged elsewhere. */
    public CheckPolicy unchecked() {
        return new CheckPolicy(AllocationCheck.NONE, origins, grace);
    }
}
