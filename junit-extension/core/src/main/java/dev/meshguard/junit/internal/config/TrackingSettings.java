package dev.meshguard.junit.internal.config;

import dev.meshguard.junit.Accounting;
import dev.meshguard.junit.TrackingLifetime;
import dev.meshguard.junit.internal.ConfigurationErrors;
import dev.meshguard.junit.internal.template.TemplateInvocation;
import dev.meshguard.junit.source.SourceSettings;
import java.util.Optional;

/**
 * The resolved settings of a test.
 *
 * @param source the settings of its source, if there is one
 * @param lifetime how long the memory and its tracker last
 * @param accounting who is responsible for memory that outlives a test
 * @param policies how the memory is checked
 */
public record TrackingSettings(
        Optional<SourceSettings> source, TrackingLifetime lifetime, Accounting accounting, CheckPolicy policies) {

    /**
     * Resolves omitted settings by their defaults.
     *
     * @param name the test or class, for messages
     */
    public static TrackingSettings of(Optional<SourceSettings> source, PartialSettings given, String name) {
        TrackingSettings settings = new TrackingSettings(
                source,
                given.resolve(TrackingSetting.LIFETIME),
                given.resolve(TrackingSetting.ACCOUNTING),
                CheckPolicy.of(given));
        if (settings.checksEachTest() && !settings.isShareable()) {
            throw ConfigurationErrors.of(
                    "@TrackAllocations on " + name,
                    annotationOf(source.orElseThrow()) + ", accounting = EACH_TEST",
                    "Each part of this source has a verdict of its own: let the lifetime be TEST, or leave accounting out.");
        }
        return settings;
    }

    /** Returns these settings as required by an invocation of a test template. */
    public TrackingSettings in(TemplateInvocation invocation) {
        if (!isShareable()) {
            throw ConfigurationErrors.of(
                    invocation.location(),
                    annotationOf(source.orElseThrow()),
                    "Its invocations need a source that reports to the tracker of the test, for example a mesh in this process.");
        }
        if (outlivesTest()) {
            throw ConfigurationErrors.of(
                    invocation.location(),
                    "lifetime = " + lifetime,
                    "Its invocations need a mesh that no other test uses: let the lifetime be TEST.");
        }
        return new TrackingSettings(
                source.map(invocation::configure),
                lifetime,
                accounting,
                invocation.judgesAlone() ? policies.unchecked() : policies);
    }

    /** Returns these settings with other policies. */
    public TrackingSettings with(CheckPolicy other) {
        return new TrackingSettings(source, lifetime, accounting, other);
    }

    /** Returns whether each test on a mesh that outlives it is responsible for its own survivors. */
    public boolean checksEachTest() {
        return outlivesTest() && accounting == Accounting.EACH_TEST;
    }

    /** Returns whether the memory lasts longer than one test. */
    public boolean outlivesTest() {
        return lifetime != TrackingLifetime.TEST;
    }

    /** Returns whether the source, if there is one, begins only when a test requests it. */
    public boolean beginsOnRequest() {
        return source.map(SourceSettings::beginsOnRequest).orElse(true);
    }

    /**
     * Returns the settings that tests must have in common to share a mesh. If each test is responsible for its own
     * survivors, only the tracker's policies are included.
     */
    public TrackingSettings ofMesh() {
        return checksEachTest() ? with(CheckPolicy.DEFAULTS.withOrigins(policies.origins())) : this;
    }

    private boolean isShareable() {
        return source.map(SourceSettings::isShareable).orElse(true);
    }

    /** Returns the annotation that selects a source, as it is written. */
    public static String annotationOf(SourceSettings settings) {
        return "@" + settings.source().annotation().getSimpleName();
    }
}
