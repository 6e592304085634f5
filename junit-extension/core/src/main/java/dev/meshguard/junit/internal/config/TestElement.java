package dev.meshguard.junit.internal.config;

import dev.meshguard.junit.internal.TestNames;
import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A method or class of a test, whose annotations configure it.
 *
 * @param element the method or class
 * @param name its name for messages
 */
record TestElement(AnnotatedElement element, String name) {

    /** Returns the method of a test, its class and then the enclosing classes, the innermost first; none for the whole run. */
    static List<TestElement> of(ExtensionContext context) {
        List<TestElement> nearestFirst = new ArrayList<>();
        method(context).ifPresent(nearestFirst::add);
        classes(context).forEach(type -> nearestFirst.add(of(type)));
        return nearestFirst;
    }

    /** Returns a class. */
    static TestElement of(Class<?> type) {
        return new TestElement(type, TestNames.of(type));
    }

    /** Returns the method of a test; none for a class or the whole run. */
    static Optional<TestElement> method(ExtensionContext context) {
        return context.getTestMethod()
                .map(method -> new TestElement(method, TestNames.of(context.getRequiredTestClass(), method)));
    }

    /** Returns the class of a test and then its enclosing classes, the innermost first; none for the whole run. */
    static List<Class<?>> classes(ExtensionContext context) {
        ExtensionContext ofClass = context;
        // JUnit 5.12 knows no enclosing classes in an invocation of a test template.
        while (ofClass.getTestMethod().isPresent()) {
            ofClass = ofClass.getParent().orElseThrow();
        }
        List<Class<?>> innermostFirst = new ArrayList<>(ofClass.getEnclosingTestClasses());
        ofClass.getTestClass().ifPresent(innermostFirst::add);
        Collections.reverse(innermostFirst);
        return innermostFirst;
    }

    /** Returns whether it is the method. */
    boolean isMethod() {
        return element instanceof Method;
    }

    /**
     * Returns the name of the class, annotation or method in whose source an annotation is written. That may be a superclass, an
     * interface or a composed annotation: JUnit finds an annotation on all classes and methods that inherit it.
     */
    String declaring(Annotation annotation) {
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
                return nameOf(place);
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
        return nameOf(element);
    }

    private static String nameOf(AnnotatedElement place) {
        return place instanceof Method method
                ? method.getDeclaringClass().getName() + "#" + method.getName()
                : ((Class<?>) place).getName();
    }

    /** Returns an annotation and its location, for messages: {@code @ExpectBuffers on KvCacheTest#decode}. */
    String with(Class<? extends Annotation> annotation) {
        return "@" + annotation.getSimpleName() + " on " + name;
    }
}
