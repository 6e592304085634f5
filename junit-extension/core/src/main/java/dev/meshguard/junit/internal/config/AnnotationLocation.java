package dev.meshguard.junit.internal.config;

import dev.meshguard.junit.internal.TestNames;
import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;

/**
 * Finds the class or method in whose source an annotation is written, for messages about wrong annotations.
 *
 * <p>That may be a superclass, an interface or a composed annotation: JUnit finds an annotation on all classes and methods
 * that inherit it.
 */
final class AnnotationLocation {

    private AnnotationLocation() {}

    /** Returns the same as {@link #qualified}, without the package. */
    static String of(AnnotatedElement element, Annotation annotation) {
        return TestNames.withoutPackage(qualified(element, annotation));
    }

    /**
     * Returns the name of the class, annotation or method on which an annotation is declared.
     *
     * @param element the element on which JUnit found it
     */
    static String qualified(AnnotatedElement element, Annotation annotation) {
        Set<AnnotatedElement> seen = new HashSet<>();
        Deque<AnnotatedElement> next = new ArrayDeque<>();
        next.add(element);
        while (!next.isEmpty()) {
            AnnotatedElement place = next.remove();
            if (!seen.add(place)) {
                continue;
            }
            if (Arrays.asList(place.getDeclaredAnnotationsByType(annotation.annotationType()))
                    .contains(annotation)) {
                return name(place);
            }
            for (Annotation other : place.getDeclaredAnnotations()) {
                next.add(other.annotationType());
            }
            if (place instanceof Class<?> type) {
                next.addAll(Arrays.asList(type.getInterfaces()));
                if (type.getSuperclass() != null) {
                    next.add(type.getSuperclass());
                }
            }
        }
        return name(element);
    }

    private static String name(AnnotatedElement place) {
        return place instanceof Method method
                ? method.getDeclaringClass().getName() + "#" + method.getName()
                : ((Class<?>) place).getName();
    }
}
