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
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
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

    /** Rejects an annotation of a method that contradicts the mesh that its class asks for. */
    private void rejectBeside(Optional<TrackingAnnotation> ofClass, CheckPolicy parameters) {
        ofClass.ifPresent(other -> rejectLeavingOut(other, parameters));
        if (lifetime() == TrackingLifetime.TEST) {
            return;
        }
        if (ofClass.filter(other -> other.lifetime() == TrackingLifetime.CLASS).isEmpty()) {
            throw ConfigurationErrors.of(
                    location, "lifetime = CLASS", "On a method only TEST has a meaning: put CLASS on the class.");
        }
        ofClass.ifPresent(other -> rejectOnSharedMesh(other, parameters));
    }

    /** On a mesh of its own, a test needs none of these attributes. */
    private void rejectLeavingOut(TrackingAnnotation ofClass, CheckPolicy parameters) {
        if (annotation.lifetime() == TrackingLifetime.TEST) {
            return;
        }
        List<String> leftOut = new ArrayList<>();
        if (annotation.lifetime() == TrackingLifetime.DEFAULT && lifetime() != ofClass.lifetime()) {
            leftOut.add("lifetime = " + ofClass.lifetime());
        }
        if (annotation.accounting() == Accounting.DEFAULT && accounting() != ofClass.accounting()) {
            leftOut.add("accounting = " + ofClass.accounting());
        }
        if (ofClass.lifetime() == TrackingLifetime.CLASS) {
            addPoliciesLeftOut(leftOut, ofClass, parameters);
        }
        if (!leftOut.isEmpty()) {
            String both = String.join(", ", leftOut);
            throw ConfigurationErrors.of(
                    location,
                    String.format(Locale.ROOT, "leaving out %s of %s", both, ofClass.location),
                    String.format(
                            Locale.ROOT,
                            "The annotation of a method counts as a whole: repeat %s there, or give the test a mesh of its own with"
                                    + " lifetime = TEST.",
                            both));
        }
    }

    private void addPoliciesLeftOut(List<String> leftOut, TrackingAnnotation ofClass, CheckPolicy parameters) {
        CheckPolicy own = policies(parameters);
        CheckPolicy other = ofClass.policies(parameters);
        boolean isShared = accounting() != Accounting.EACH_TEST && ofClass.accounting() != Accounting.EACH_TEST;
        if (annotation.origins() == OriginCapture.DEFAULT && own.origins() != other.origins()) {
            leftOut.add("origins = " + other.origins());
        }
        if (isShared && annotation.check() == AllocationCheck.DEFAULT && own.check() != other.check()) {
            leftOut.add("check = " + other.check());
        }
        if (isShared && annotation.grace().isEmpty() && !own.grace().equals(other.grace())) {
            leftOut.add("grace = \"" + ofClass.annotation.grace() + '"');
        }
    }

    /** Rejects attributes that would also apply to the other tests on the mesh. */
    private void rejectOnSharedMesh(TrackingAnnotation ofClass, CheckPolicy parameters) {
        CheckPolicy own = policies(parameters);
        CheckPolicy other = ofClass.policies(parameters);
        if (accounting() != ofClass.accounting()) {
            throw rejectedForOne("accounting");
        }
        if (own.origins() != other.origins()) {
            throw rejectedForOne("origins");
        }
        if (accounting() != Accounting.EACH_TEST && !own.equals(other)) {
            throw ConfigurationErrors.of(
                    location,
                    "a policy for one method of a mesh with lifetime = CLASS",
                    "Put it on the class, or let each test answer for itself with accounting = EACH_TEST.");
        }
    }

    private RuntimeException rejectedForOne(String attribute) {
        return ConfigurationErrors.of(
                location,
                attribute + " for one method of a mesh with lifetime = CLASS",
                "All its tests share one tracker: put it on the class.");
    }
}
