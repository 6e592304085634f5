package dev.meshguard.junit.internal.config;

import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.junit.internal.ConfigurationErrors;
import dev.meshguard.junit.internal.GracePeriod;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The settings that one location sets; other locations decide the omitted ones.
 *
 * @param values the value of each setting
 */
public record PartialSettings(Map<TrackingSetting<?>, Object> values) {

    /** Of a location that sets nothing. */
    public static final PartialSettings NONE = new PartialSettings(Map.of());

    /**
     * Reads an annotation.
     *
     * @param location the annotation and its location, for messages
     */
    static PartialSettings of(TrackAllocations annotation, String location) {
        PartialSettings given = NONE.with(TrackingSetting.LIFETIME, annotation.lifetime())
                .with(TrackingSetting.ACCOUNTING, annotation.accounting())
                .with(TrackingSetting.CHECK, annotation.check())
                .with(TrackingSetting.ORIGINS, annotation.origins());
        String grace = annotation.grace();
        try {
            return grace.isEmpty() ? given : given.with(TrackingSetting.GRACE, GracePeriod.parse(grace));
        } catch (IllegalArgumentException noDuration) {
            throw ConfigurationErrors.of(
                    location, "grace = \"" + grace + "\"", String.valueOf(noDuration.getMessage()));
        }
    }

    /** Returns these settings and another one; the constant {@code DEFAULT} of an enum sets nothing. */
    public <T> PartialSettings with(TrackingSetting<T> setting, T value) {
        if (value instanceof Enum<?> constant && constant.name().equals("DEFAULT")) {
            return this;
        }
        Map<TrackingSetting<?>, Object> more = new LinkedHashMap<>(values);
        more.put(setting, value);
        return new PartialSettings(more);
    }

    /** Returns the value of a setting, if this location sets it. */
    @SuppressWarnings("unchecked") // Only with() adds values.
    public <T> Optional<T> get(TrackingSetting<T> setting) {
        return Optional.ofNullable((T) values.get(setting));
    }

    /** Returns the value of a setting, or its default. */
    <T> T resolve(TrackingSetting<T> setting) {
        return get(setting).orElse(setting.defaultValue());
    }

    boolean isEmpty() {
        return values.isEmpty();
    }

    /** Returns the settings of this location, and for omitted ones those of a farther location. */
    public PartialSettings or(PartialSettings farther) {
        if (values.isEmpty()) {
            return farther;
        }
        Map<TrackingSetting<?>, Object> all = new LinkedHashMap<>(values);
        farther.values.forEach(all::putIfAbsent);
        return new PartialSettings(all);
    }

    /** Returns the settings that this location sets and a nearer one does not. */
    PartialSettings unless(PartialSettings nearer) {
        Map<TrackingSetting<?>, Object> remaining = new LinkedHashMap<>(values);
        remaining.keySet().removeAll(nearer.values.keySet());
        return new PartialSettings(remaining);
    }

    /**
     * Returns the combined settings of two locations of which neither is nearer.
     *
     * @param location the description of both, for messages
     */
    PartialSettings beside(PartialSettings other, String location) {
        values.forEach((setting, value) -> {
            Object second = other.values.getOrDefault(setting, value);
            if (!value.equals(second)) {
                throw ConfigurationErrors.of(
                        location,
                        String.format(
                                Locale.ROOT, "%s = %s and %s = %s", setting.name(), value, setting.name(), second),
                        "Say it once.");
            }
        });
        return or(other);
    }
}
