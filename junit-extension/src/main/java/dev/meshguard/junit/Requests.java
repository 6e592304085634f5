package dev.meshguard.junit;

import dev.meshguard.junit.internal.RunAccount;
import dev.meshguard.junit.internal.RunSettings;
import dev.meshguard.junit.internal.TestNames;
import dev.meshguard.tracker.BufferLifetime;
import dev.meshguard.tracker.BufferType;
import dev.meshguard.tracker.Owner;
import dev.meshguard.tracker.Phase;
import dev.meshguard.verdict.expectation.Bound;
import dev.meshguard.verdict.expectation.DeviceSet;
import dev.meshguard.verdict.expectation.Expectation;
import dev.meshguard.verdict.expectation.ExpectedBuffers;
import dev.meshguard.verdict.expectation.SizeRange;
import java.io.IOException;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * What the annotations around a test ask for.
 *
 * <p>The nearest {@link TrackAllocations} counts, as a whole; all {@link ExpectBuffers} add up, the nearest first.
 */
final class Requests {

    private static final String OF_SUITE =
            "Let each test answer for itself with accounting = EACH_TEST, or put the entry into the"
                    + " file of the run, " + RunSettings.EXPECTED_BUFFERS + ".";

    private Requests() {}

    /** Returns what the nearest annotation asks for, if there is one. */
    static Optional<GuardSettings> settings(ExtensionContext context) {
        Optional<GuardSettings> ofMethod = context.getTestMethod()
                .flatMap(method -> AnnotationSupport.findAnnotation(method, TrackAllocations.class)
                        .map(annotation -> ofMethod(annotation, placeOf(context, method))));
        return ofMethod.or(() -> context.getTestClass()
                .flatMap(type -> AnnotationSupport.findAnnotation(
                                type, TrackAllocations.class, context.getEnclosingTestClasses())
                        .map(annotation ->
                                GuardSettings.of(annotation, "@TrackAllocations on " + TestNames.of(type)))));
    }

    /** Returns what may stay by the annotations of method and classes. */
    static ExpectedBuffers expected(ExtensionContext context) {
        List<Expectation> all = new ArrayList<>(ofMethod(context));
        context.getTestClass().ifPresent(type -> {
            all.addAll(on(type, TestNames.of(type)));
            List<Class<?>> inner = new ArrayList<>(context.getEnclosingTestClasses());
            Collections.reverse(inner);
            inner.forEach(outer -> all.addAll(on(outer, TestNames.of(outer))));
        });
        return new ExpectedBuffers(all);
    }

    /** Refuses an entry on a method whose mesh outlives it, because it would have to hold for other methods too. */
    static void refuseOnMethod(ExtensionContext context, MeshLifetime lifetime) {
        if (!ofMethod(context).isEmpty()) {
            throw GuardSettings.refused(
                    "@ExpectBuffers on "
                            + TestNames.of(context.getRequiredTestClass(), context.getRequiredTestMethod()),
                    "an entry for one method of a mesh with lifetime = " + lifetime,
                    lifetime == MeshLifetime.CLASS
                            ? "Put it on the class, or let the mesh last for one test."
                            : OF_SUITE);
        }
    }

    /** Refuses an entry on a nested class that shares the mesh of the class around it, where nobody would read it. */
    static void refuseOnNested(ExtensionContext inner, ExtensionContext outer) {
        Class<?> type = inner.getRequiredTestClass();
        if (inner.getTestMethod().isEmpty()
                && type != outer.getRequiredTestClass()
                && !on(type, TestNames.of(type)).isEmpty()) {
            throw GuardSettings.refused(
                    "@ExpectBuffers on " + TestNames.of(type),
                    "an entry for a nested class that shares a mesh with lifetime = CLASS",
                    String.format(Locale.ROOT, "Put it on %s.", TestNames.of(outer.getRequiredTestClass())));
        }
    }

    /** Refuses an entry on a class whose mesh outlives it, because it would have to hold for other classes too. */
    static void refuseOnClass(ExtensionContext context) {
        context.getTestClass()
                .filter(type -> !on(type, TestNames.of(type)).isEmpty())
                .ifPresent(type -> {
                    throw GuardSettings.refused(
                            "@ExpectBuffers on " + TestNames.of(type),
                            "an entry for one class of a mesh with lifetime = SUITE",
                            OF_SUITE);
                });
    }

    private static List<Expectation> ofMethod(ExtensionContext context) {
        return context.getTestMethod()
                .map(method -> on(method, TestNames.of(context.getRequiredTestClass(), method)))
                .orElse(List.of());
    }

    private static GuardSettings ofMethod(TrackAllocations annotation, String place) {
        MeshLifetime lifetime = annotation.lifetime();
        if (lifetime != MeshLifetime.TEST) {
            throw GuardSettings.refused(
                    place,
                    "lifetime = " + lifetime,
                    String.format(Locale.ROOT, "On a method only TEST has a meaning: put %s on the class.", lifetime));
        }
        return GuardSettings.of(annotation, place);
    }

    private static String placeOf(ExtensionContext context, Method method) {
        return "@TrackAllocations on " + TestNames.of(context.getRequiredTestClass(), method);
    }

    private static List<Expectation> on(AnnotatedElement element, String name) {
        List<Expectation> all = new ArrayList<>();
        AnnotationSupport.findRepeatableAnnotations(element, ExpectBuffers.class)
                .forEach(annotation -> all.add(expectation(annotation, "@ExpectBuffers on " + name)));
        AnnotationSupport.findAnnotation(element, ExpectedBuffersFile.class)
                .ifPresent(annotation -> all.addAll(
                        load(annotation, "@ExpectedBuffersFile on " + name).entries()));
        return all;
    }

    private static Expectation expectation(ExpectBuffers annotation, String place) {
        if (annotation.because().isBlank() || annotation.because().equals("…")) {
            throw GuardSettings.refused(
                    place, "because = \"" + annotation.because() + '"', "Say why the buffers may stay.");
        }
        try {
            return bounded(annotation, place, conditions(annotation, place));
        } catch (IllegalArgumentException refusal) {
            throw new ExtensionConfigurationException(place + ": " + refusal.getMessage(), refusal);
        }
    }

    private static Expectation conditions(ExpectBuffers annotation, String place) {
        Expectation entry = Expectation.because(annotation.because());
        for (BufferType type : atMostOne(annotation.type(), "type", place)) {
            entry = entry.type(type);
        }
        for (BufferLifetime lifetime : atMostOne(annotation.lifetime(), "lifetime", place)) {
            entry = entry.lifetime(lifetime);
        }
        for (Owner.Kind kind : atMostOne(annotation.ownerKind(), "ownerKind", place)) {
            entry = entry.ownerKind(kind);
        }
        if (!annotation.phase().isEmpty()) {
            entry = entry.phase(new Phase(annotation.phase()));
        }
        if (!annotation.owner().isEmpty()) {
            entry = entry.owner(annotation.owner());
        }
        if (!annotation.label().isEmpty()) {
            entry = entry.label(annotation.label());
        }
        if (!annotation.origin().isEmpty()) {
            entry = entry.origin(annotation.origin());
        }
        return entry.devices(devices(annotation, place)).sizes(sizes(annotation, place));
    }

    private static Expectation bounded(ExpectBuffers annotation, String place, Expectation entry) {
        Expectation bounded = entry.count(count(annotation, place));
        if (isGiven(annotation.bytes(), "bytes", place)) {
            bounded = bounded.bytes(annotation.bytes());
        }
        return annotation.until().isEmpty() ? bounded : bounded.until(annotation.until());
    }

    private static DeviceSet devices(ExpectBuffers annotation, String place) {
        boolean isOne = isGiven(annotation.device(), "device", place);
        refuseBoth(isOne, "device", annotation.devices().length > 0, "devices", place);
        return isOne ? DeviceSet.of(annotation.device()) : DeviceSet.of(annotation.devices());
    }

    private static SizeRange sizes(ExpectBuffers annotation, String place) {
        boolean isOne = isGiven(annotation.size(), "size", place);
        boolean hasLeast = isGiven(annotation.minSize(), "minSize", place);
        boolean hasMost = isGiven(annotation.maxSize(), "maxSize", place);
        refuseBoth(isOne, "size", hasLeast, "minSize", place);
        refuseBoth(isOne, "size", hasMost, "maxSize", place);
        return isOne
                ? SizeRange.exactly(annotation.size())
                : new SizeRange(hasLeast ? annotation.minSize() : 0, hasMost ? annotation.maxSize() : Long.MAX_VALUE);
    }

    private static Bound count(ExpectBuffers annotation, String place) {
        boolean isOne = isGiven(annotation.exactly(), "exactly", place);
        boolean hasLeast = isGiven(annotation.atLeast(), "atLeast", place);
        boolean hasMost = isGiven(annotation.count(), "count", place);
        refuseBoth(isOne, "exactly", hasLeast, "atLeast", place);
        refuseBoth(isOne, "exactly", hasMost, "count", place);
        return isOne
                ? Bound.exactly(annotation.exactly())
                : new Bound(hasLeast ? annotation.atLeast() : 0, hasMost ? annotation.count() : Long.MAX_VALUE);
    }

    private static void refuseBoth(boolean one, String name, boolean other, String otherName, String place) {
        if (one && other) {
            throw GuardSettings.refused(
                    place, name + " and " + otherName, String.format(Locale.ROOT, "Give %s or %s.", name, otherName));
        }
    }

    private static ExpectedBuffers load(ExpectedBuffersFile annotation, String place) {
        try {
            return RunAccount.load(Path.of(annotation.value()), place);
        } catch (IllegalArgumentException refusal) {
            throw new ExtensionConfigurationException(refusal.getMessage(), refusal);
        } catch (IOException unreadable) {
            throw new ExtensionConfigurationException(
                    String.format(Locale.ROOT, "%s: %s cannot be read.", place, annotation.value()), unreadable);
        }
    }

    private static <T> List<T> atMostOne(T[] values, String name, String place) {
        if (values.length > 1) {
            throw GuardSettings.refused(
                    place,
                    name + " = " + List.of(values),
                    String.format(Locale.ROOT, "Give at most one; write an entry for each %s.", name));
        }
        return List.of(values);
    }

    private static boolean isGiven(long value, String name, String place) {
        if (value < -1) {
            throw GuardSettings.refused(place, name + " = " + value, "Give 0 or more, or leave it out to allow any.");
        }
        return value >= 0;
    }
}
