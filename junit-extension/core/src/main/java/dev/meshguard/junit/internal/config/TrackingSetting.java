package dev.meshguard.junit.internal.config;

import dev.meshguard.junit.Accounting;
import dev.meshguard.junit.AllocationCheck;
import dev.meshguard.junit.TrackingLifetime;
import dev.meshguard.tracker.OriginCapture;
import java.time.Duration;

/**
 * A setting of {@link dev.meshguard.junit.TrackAllocations}, which is resolved separately from the others.
 *
 * @param name the name of its attribute
 * @param defaultValue the value if no location sets it
 */
public record TrackingSetting<T>(String name, T defaultValue) {

    public static final TrackingSetting<TrackingLifetime> LIFETIME =
            new TrackingSetting<>("lifetime", TrackingLifetime.TEST);
    public static final TrackingSetting<Accounting> ACCOUNTING =
            new TrackingSetting<>("accounting", Accounting.AT_THE_END);
    public static final TrackingSetting<AllocationCheck> CHECK = new TrackingSetting<>("check", AllocationCheck.CLEAN);
    public static final TrackingSetting<OriginCapture> ORIGINS =
            new TrackingSetting<>("origins", OriginCapture.ALLOCATIONS);
    public static final TrackingSetting<Duration> GRACE = new TrackingSetting<>("grace", Duration.ZERO);
}
