package dev.meshguard.junit.internal.config;

import dev.meshguard.junit.Accounting;
import dev.meshguard.junit.AllocationCheck;
import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.junit.TrackingLifetime;
import dev.meshguard.junit.internal.ConfigurationErrors;
import dev.meshguard.junit.internal.template.TemplateInvocation;
import dev.meshguard.junit.source.AnnotatedSource;
import dev.meshguard.junit.source.SourceSettings;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The sources of a test, how long its memory lives, and how it is checked, from its nearest annotation and the configuration parameters.
 *
 * @param sources the settings of its sources
 * @param lifetime how long the memory and its tracker last
 * @param accounting who is responsible for memory that outlives a test
 * @param policies how the memory is checked
 */
public record TrackingSettings(
        List<SourceSettings> sources, TrackingLifetime lifetime, Accounting accounting, CheckPolicy policies) {

    /** Creates settings with their own copy of the list. */
    public TrackingSettings {
        sources = List.copyOf(sources);
    }

    /**
     * Returns the settings of the nearest annotation, or the defaults.
     *
     * @param elements the method and the classes of a test, the nearest first
     * @param parameters the policies of the configuration parameters, for attributes that the annotation leaves out
     */
    static TrackingSettings of(List<SourceSettings> sources, List<TestElement> elements, CheckPolicy parameters) {
        Optional<TrackingAnnotation> nearest = TrackingAnnotation.nearest(elements, parameters);
        TrackingSettings settings = new TrackingSettings(
                sources,
                nearest.map(TrackingAnnotation::lifetime).orElse(TrackingLifetime.TEST),
                nearest.map(TrackingAnnotation::accounting).orElse(Accounting.AT_THE_END),
                nearest.map(annotation -> annotation.policies(parameters)).orElse(parameters));
        if (settings.checksEachTest()) {
            settings.notShareable().ifPresent(source -> {
                throw ConfigurationErrors.of(
                        elements.get(elements.get(0).isMethod() ? 1 : 0).with(TrackAllocations.class),
                        nameOf(source) + ", accounting = EACH_TEST",
                        "Each part of this source has a verdict of its own: let the lifetime be TEST, or leave accounting out.");
            });
        }
        return settings;
    }

    /** Returns these settings as required by an invocation of a test template. */
    public TrackingSettings in(TemplateInvocation invocation) {
        notShareable().ifPresent(source -> {
            throw ConfigurationErrors.of(
                    invocation.location(),
                    nameOf(source),
                    "Its invocations need a source that reports to the tracker of the test, for example a mesh in this process.");
        });
        if (outlivesTest()) {
            throw ConfigurationErrors.of(
                    invocation.location(),
                    "lifetime = " + lifetime,
                    "Its invocations need a mesh that no other test uses: let the lifetime be TEST.");
        }
        invocation.requireUsable(sources);
        return invocation.sharesMesh() ? with(policies.unchecked()) : this;
    }

    /** Returns these settings with other policies. */
    public TrackingSettings with(CheckPolicy other) {
        return new TrackingSettings(sources, lifetime, accounting, other);
    }

    /** Returns whether each test on a mesh that outlives it is responsible for its own survivors. */
    public boolean checksEachTest() {
        return outlivesTest() && accounting == Accounting.EACH_TEST;
    }

    /** Returns whether the memory lasts longer than one test. */
    public boolean outlivesTest() {
        return lifetime != TrackingLifetime.TEST;
    }

    /** Returns whether all sources begin only when a test requests them. */
    public boolean beginsOnRequest() {
        for (SourceSettings source : sources) {
            if (!source.beginsOnRequest()) {
                return false;
            }
        }
        return true;
    }

    /**
     * Returns the settings that tests must have in common to share a mesh. If each test is responsible for its own
     * survivors, only the tracker's policies are included.
     */
    public TrackingSettings ofMesh() {
        return checksEachTest() ? with(new CheckPolicy(AllocationCheck.NONE, policies.origins(), Duration.ZERO)) : this;
    }

    private Optional<SourceSettings> notShareable() {
        return sources.stream().filter(source -> !source.isShareable()).findFirst();
    }

    /** Returns the name of a source for messages: its annotation, as it is written, or its id. */
    public static String nameOf(SourceSettings settings) {
        return settings.source() instanceof AnnotatedSource<?> annotated
                ? "@" + annotated.annotation().getSimpleName()
                : "the source \"" + settings.source().id() + "\"";
    }

    /** Returns the names of the sources for messages: of those with an annotation, if there are such. */
    public String names() {
        List<SourceSettings> annotated = sources.stream()
                .filter(settings -> settings.source() instanceof AnnotatedSource<?>)
                .toList();
        return (annotated.isEmpty() ? sources : annotated)
                .stream().map(TrackingSettings::nameOf).collect(Collectors.joining(" and "));
    }
}
