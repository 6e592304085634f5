package dev.meshguard.junit;

import dev.meshguard.tracker.BufferLifetime;
import dev.meshguard.tracker.BufferType;
import dev.meshguard.verdict.expectation.Expectation;
import dev.meshguard.verdict.expectation.ExpectedBuffers;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * What the annotations around a test ask for.
 *
 * <p>The nearest {@link TrackAllocations} counts, as a whole; all {@link ExpectBuffers} add up, the nearest first.
 */
final class Requests {

    private Requests() {}

    /** Returns what the nearest annotation asks for, if there is one. */
    static Optional<GuardSettings> settings(ExtensionContext context) {
        Optional<GuardSettings> ofMethod = context.getTestMethod()
                .flatMap(method -> AnnotationSupport.findAnnotation(method, TrackAllocations.class)
                        .map(annotation -> ofMethod(annotation, placeOf(context, method))));
        return ofMethod.or(() -> context.getTestClass()
                .flatMap(type -> AnnotationSupport.findAnnotation(
                                type, TrackAllocations.class, context.getEnclosingTestClasses())
                        .map(annotation -> GuardSettings.of(annotation, "@TrackAllocations on " + Places.name(type)))));
    }

    /** Returns what may stay by the annotations of method and classes. */
    static ExpectedBuffers expected(ExtensionContext context) {
        List<Expectation> all = new ArrayList<>(ofMethod(context));
        context.getTestClass().ifPresent(type -> {
            all.addAll(on(type, Places.name(type)));
            List<Class<?>> inner = new ArrayList<>(context.getEnclosingTestClasses());
            Collections.reverse(inner);
            inner.forEach(outer -> all.addAll(on(outer, Places.name(outer))));
        });
        return new ExpectedBuffers(all);
    }

    /** Refuses an entry on a method whose mesh outlives it, because it would have to hold for other methods too. */
    static void refuseOnMethod(ExtensionContext context) {
        if (!ofMethod(context).isEmpty()) {
            throw GuardSettings.refused(
                    "@ExpectBuffers on " + Places.name(context.getRequiredTestClass(), context.getRequiredTestMethod()),
                    "an entry for one method of a mesh with lifetime = CLASS",
                    "Put it on the class, or let the mesh last for one test.");
        }
    }

    /** Refuses an entry on a nested class that shares the mesh of the class around it, where nobody would read it. */
    static void refuseOnNested(ExtensionContext inner, ExtensionContext outer) {
        Class<?> type = inner.getRequiredTestClass();
        if (inner.getTestMethod().isEmpty()
                && type != outer.getRequiredTestClass()
                && !on(type, Places.name(type)).isEmpty()) {
            throw GuardSettings.refused(
                    "@ExpectBuffers on " + Places.name(type),
                    "an entry for a nested class that shares a mesh with lifetime = CLASS",
                    String.format(Locale.ROOT, "Put it on %s.", Places.name(outer.getRequiredTestClass())));
        }
    }

    private static List<Expectation> ofMethod(ExtensionContext context) {
        return context.getTestMethod()
                .map(method -> on(method, Places.name(context.getRequiredTestClass(), method)))
                .orElse(List.of());
    }

    private static GuardSettings ofMethod(TrackAllocations annotation, String place) {
        if (annotation.lifetime() == MeshLifetime.CLASS) {
            throw GuardSettings.refused(
                    place, "lifetime = CLASS", "On a method only TEST has a meaning: put CLASS on the class.");
        }
        return GuardSettings.of(annotation, place);
    }

    private static String placeOf(ExtensionContext context, Method method) {
        return "@TrackAllocations on " + Places.name(context.getRequiredTestClass(), method);
    }

    private static List<Expectation> on(AnnotatedElement element, String name) {
        return AnnotationSupport.findRepeatableAnnotations(element, ExpectBuffers.class).stream()
                .map(annotation -> expectation(annotation, "@ExpectBuffers on " + name))
                .toList();
    }

    private static Expectation expectation(ExpectBuffers annotation, String place) {
        if (annotation.because().isBlank()) {
            throw GuardSettings.refused(
                    place, "because = \"" + annotation.because() + '"', "Say why the buffers may stay.");
        }
        Expectation entry = Expectation.because(annotation.because());
        for (BufferType type : atMostOne(annotation.type(), "type", place)) {
            entry = entry.type(type);
        }
        for (BufferLifetime lifetime : atMostOne(annotation.lifetime(), "lifetime", place)) {
            entry = entry.lifetime(lifetime);
        }
        if (isGiven(annotation.device(), "device", place)) {
            entry = entry.device(annotation.device());
        }
        if (isGiven(annotation.size(), "size", place)) {
            entry = entry.size(annotation.size());
        }
        if (isGiven(annotation.count(), "count", place)) {
            entry = entry.count(annotation.count());
        }
        if (isGiven(annotation.bytes(), "bytes", place)) {
            entry = entry.bytes(annotation.bytes());
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
        return entry;
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
