package dev.meshguard.junit.internal.config;

import dev.meshguard.junit.Accounting;
import dev.meshguard.junit.AllocationCheck;
import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.junit.TrackingLifetime;
import dev.meshguard.junit.internal.ConfigurationErrors;
import dev.meshguard.junit.internal.GracePeriod;
import dev.meshguard.junit.internal.TestNames;
import dev.meshguard.tracker.OriginCapture;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * The {@link TrackAllocations} annotation that counts for a test: that of its method, else of its class, else of the nearest
 * enclosing class.
 *
 * <p>It counts as a whole. An attribute that it leaves out has the value of the configuration parameter, else the default,
 * never that of another annotation.
 *
 * @param annotation the annotation
 * @param location its location, for messages
 */
record TrackingAnnotation(TrackAllocations annotation, String location) {

    /**
     * Returns the annotation that counts for a test or class; none for the whole run.
     *
     * @param elements the method and the classes of the test, the nearest first
     * @param parameters the policies of the configuration parameters, for attributes that are left out
     */
    static Optional<TrackingAnnotation> nearest(List<TestElement> elements, CheckPolicy parameters) {
        Optional<TrackingAnnotation> ofMethod = elements.stream()
                .filter(TestElement::isMethod)
                .flatMap(method -> on(method, unused -> method.name()))
                .findFirst();
        Optional<TrackingAnnotation> ofClasses = elements.stream()
                .filter(element -> !element.isMethod())
                .flatMap(type -> on(type, found -> TestNames.withoutPackage(type.declaring(found))))
                .findFirst();
        ofMethod.ifPresent(own -> own.rejectBeside(ofClasses, parameters));
        return ofMethod.or(() -> ofClasses);
    }

    private static Stream<TrackingAnnotation> on(TestElement test, Function<TrackAllocations, String> location) {
        return AnnotationSupport.findAnnotation(test.element(), TrackAllocations.class).stream()
                .map(found -> new TrackingAnnotation(found, "@TrackAllocations on " + location.apply(found)));
    }

    /** Returns how long the memory lasts. */
    TrackingLifetime lifetime() {
        return annotation.lifetime() == TrackingLifetime.DEFAULT ? TrackingLifetime.TEST : annotation.lifetime();
    }

    /** Returns who is responsible for memory that outlives a test. */
    Accounting accounting() {
        return annotation.accounting() == Accounting.DEFAULT ? Accounting.AT_THE_END : annotation.accounting();
    }

    /**
     * Returns how the memory is checked.
     *
     * @param parameters the policies of the configuration parameters, for attributes that are left out
     */
    CheckPolicy policies(CheckPolicy parameters) {
        return new CheckPolicy(
                annotation.check() == AllocationCheck.DEFAULT ? parameters.check() : annotation.check(),
                annotation.origins() == OriginCapture.DEFAULT ? parameters.origins() : annotation.origins(),
                annotation.grace().isEmpty() ? parameters.grace() : grace());
    }

    private Duration grace() {
        try {
            return GracePeriod.parse(annotation.grace());
        } catch (IllegalArgumentException noDuration) {
            throw ConfigurationErrors.of(
                    location, "grace = \"" + annotation.grace() + "\"", String.valueOf(noDuration.getMessage()));
        }
    }

    /**
     * Rejects an annotation of a method that neither asks for a mesh of its own nor repeats what the mesh of its class has.
     */
    private void rejectBeside(Optional<TrackingAnnotation> ofClass, CheckPolicy parameters) {
        if (annotation.lifetime() == TrackingLifetime.TEST) {
            return;
        }
        boolean isShared = ofClass.filter(other -> other.lifetime() == TrackingLifetime.CLASS)
                .isPresent();
        if (lifetime() == TrackingLifetime.CLASS && !isShared) {
            throw ConfigurationErrors.of(
                    location, "lifetime = CLASS", "On a method only TEST has a meaning: put CLASS on the class.");
        }
        String leftOut =
                ofClass.stream().flatMap(other -> leftOut(other, parameters)).collect(Collectors.joining(", "));
        if (!leftOut.isEmpty()) {
            throw ConfigurationErrors.of(
                    location,
                    String.format(Locale.ROOT, "leaving out %s of %s", leftOut, ofClass.orElseThrow().location),
                    String.format(
                            Locale.ROOT,
                            "The annotation of a method counts as a whole: repeat %s there, or give the test a mesh of its own with"
                                    + " lifetime = TEST.",
                            leftOut));
        }
    }

    /** Returns the attributes that all tests on the mesh of a class have in common, as far as this annotation has other values. */
    private Stream<String> leftOut(TrackingAnnotation ofClass, CheckPolicy parameters) {
        CheckPolicy own = policies(parameters);
        CheckPolicy other = ofClass.policies(parameters);
        Map<String, Boolean> isRepeated = new LinkedHashMap<>();
        isRepeated.put("lifetime = " + ofClass.lifetime(), lifetime() == ofClass.lifetime());
        isRepeated.put("accounting = " + ofClass.accounting(), accounting() == ofClass.accounting());
        if (ofClass.lifetime() == TrackingLifetime.CLASS) {
            isRepeated.put("origins = " + other.origins(), own.origins() == other.origins());
            if (accounting() != Accounting.EACH_TEST && ofClass.accounting() != Accounting.EACH_TEST) {
                isRepeated.put("check = " + other.check(), own.check() == other.check());
                isRepeated.put(
                        "grace = \"" + ofClass.annotation.grace() + '"',
                        own.grace().equals(other.grace()));
            }
        }
        return isRepeated.entrySet().stream()
                .filter(attribute -> !attribute.getValue())
                .map(Map.Entry::getKey);
    }
}
