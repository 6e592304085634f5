package dev.meshguard.junit;

import dev.meshguard.junit.internal.GracePeriod;
import dev.meshguard.tracker.OriginCapture;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/**
 * The policies that one location sets; other locations decide the omitted ones.
 *
 * @param check the condition that must hold
 * @param origins the calls whose stacks are captured
 * @param onFailure how the check of a failed test is handled
 * @param onAbort how the check of an aborted test is handled
 * @param lateFrees how frees after the begin of close are handled
 * @param grace the longest wait for late frees
 */
record PartialPolicy(
        Optional<AllocationCheck> check,
        Optional<OriginCapture> origins,
        Optional<IncompleteTestPolicy> onFailure,
        Optional<IncompleteTestPolicy> onAbort,
        Optional<LateFrees> lateFrees,
        Optional<Duration> grace) {

    /** Of a location that sets nothing. */
    static final PartialPolicy NONE = new PartialPolicy(
            Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

    /**
     * Reads an annotation.
     *
     * @param place its location, for messages
     */
    static PartialPolicy of(AllocationPolicy annotation, String place) {
        return new PartialPolicy(
                atMostOne(place, "check", annotation.check()),
                atMostOne(place, "origins", annotation.origins()),
                atMostOne(place, "onFailure", annotation.onFailure()),
                atMostOne(place, "onAbort", annotation.onAbort()),
                atMostOne(place, "lateFrees", annotation.lateFrees()),
                grace(annotation.grace(), place));
    }

    /**
     * Reads the policies in the annotation that describes the mesh.
     *
     * @param place its location, for messages
     */
    static PartialPolicy of(TrackAllocations annotation, String place) {
        return new PartialPolicy(
                atMostOne(place, "check", annotation.check()),
                atMostOne(place, "origins", annotation.origins()),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
    }

    /** Returns the policies of this location, and for omitted ones those of a farther location. */
    PartialPolicy or(PartialPolicy farther) {
        return new PartialPolicy(
                check.or(farther::check),
                origins.or(farther::origins),
                onFailure.or(farther::onFailure),
                onAbort.or(farther::onAbort),
                lateFrees.or(farther::lateFrees),
                grace.or(farther::grace));
    }

    /** Returns the policies that this location sets and a nearer one does not. */
    PartialPolicy unless(PartialPolicy nearer) {
        return new PartialPolicy(
                nearer.check.isPresent() ? Optional.empty() : check,
                nearer.origins.isPresent() ? Optional.empty() : origins,
                nearer.onFailure.isPresent() ? Optional.empty() : onFailure,
                nearer.onAbort.isPresent() ? Optional.empty() : onAbort,
                nearer.lateFrees.isPresent() ? Optional.empty() : lateFrees,
                nearer.grace.isPresent() ? Optional.empty() : grace);
    }

    /**
     * Returns the combined policies of two locations of which neither is nearer.
     *
     * @param place the description of both, for messages
     */
    PartialPolicy beside(PartialPolicy other, String place) {
        rejectTwo(place, "check", check, other.check);
        rejectTwo(place, "origins", origins, other.origins);
        rejectTwo(place, "onFailure", onFailure, other.onFailure);
        rejectTwo(place, "onAbort", onAbort, other.onAbort);
        rejectTwo(place, "lateFrees", lateFrees, other.lateFrees);
        rejectTwo(place, "grace", grace, other.grace);
        return or(other);
    }

    PartialPolicy check(AllocationCheck value) {
        return new PartialPolicy(Optional.of(value), origins, onFailure, onAbort, lateFrees, grace);
    }

    PartialPolicy origins(OriginCapture value) {
        return new PartialPolicy(check, Optional.of(value), onFailure, onAbort, lateFrees, grace);
    }

    PartialPolicy onFailure(IncompleteTestPolicy value) {
        return new PartialPolicy(check, origins, Optional.of(value), onAbort, lateFrees, grace);
    }

    PartialPolicy onAbort(IncompleteTestPolicy value) {
        return new PartialPolicy(check, origins, onFailure, Optional.of(value), lateFrees, grace);
    }

    PartialPolicy lateFrees(LateFrees value) {
        return new PartialPolicy(check, origins, onFailure, onAbort, Optional.of(value), grace);
    }

    PartialPolicy grace(Duration value) {
        return new PartialPolicy(check, origins, onFailure, onAbort, lateFrees, Optional.of(value));
    }

    CheckPolicy orDefaults() {
        CheckPolicy defaults = CheckPolicy.DEFAULTS;
        return new CheckPolicy(
                check.orElse(defaults.check()),
                origins.orElse(defaults.origins()),
                onFailure.orElse(defaults.onFailure()),
                onAbort.orElse(defaults.onAbort()),
                lateFrees.orElse(defaults.lateFrees()),
                grace.orElse(defaults.grace()));
    }

    private static <T> Optional<T> atMostOne(String place, String name, T[] values) {
        if (values.length > 1) {
            throw TrackingSettings.rejected(place, name + " = " + Arrays.toString(values), "Give at most one.");
        }
        return Arrays.stream(values).findFirst();
    }

    private static Optional<Duration> grace(String text, String place) {
        try {
            return text.isEmpty() ? Optional.empty() : Optional.of(GracePeriod.parse(text));
        } catch (IllegalArgumentException noDuration) {
            throw TrackingSettings.rejected(place, "grace = \"" + text + "\"", String.valueOf(noDuration.getMessage()));
        }
    }

    private static <T> void rejectTwo(String place, String name, Optional<T> one, Optional<T> other) {
        if (one.isPresent() && other.isPresent() && !one.equals(other)) {
            throw TrackingSettings.rejected(
                    place,
                    String.format(Locale.ROOT, "%s = %s and %s = %s", name, one.get(), name, other.get()),
                    "Say it once.");
        }
    }
}
