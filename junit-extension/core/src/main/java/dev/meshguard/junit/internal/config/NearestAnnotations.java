package dev.meshguard.junit.internal.config;

import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * The annotations that are equally near to a class or method.
 *
 * <p>JUnit's search returns the first that it finds. Of two interfaces, or two composed annotations, neither is nearer
 * than the other.
 */
final class NearestAnnotations {

    private NearestAnnotations() {}

    /** Returns the class of a test and then its enclosing classes, the innermost first; none for the whole run. */
    static List<Class<?>> classesOf(ExtensionContext context) {
        List<Class<?>> innermostFirst = new ArrayList<>(context.getEnclosingTestClasses());
        context.getTestClass().ifPresent(innermostFirst::add);
        Collections.reverse(innermostFirst);
        return innermostFirst;
    }

    /**
     * Returns the annotation on the element itself; else those in annotations on it, else those of its interfaces, else
     * those of its superclass. Equal annotations are returned once.
     */
    static <A extends Annotation> Set<A> of(AnnotatedElement element, Class<A> kind) {
        return of(element, Set.of(kind)).stream().map(kind::cast).collect(Collectors.toCollection(LinkedHashSet::new));
    }

    /** Returns the nearest annotations of several kinds, none of which goes before the others. */
    static Set<Annotation> of(AnnotatedElement element, Set<? extends Class<? extends Annotation>> kinds) {
        return of(element, kinds, new HashSet<>());
    }

    private static Set<Annotation> of(
            AnnotatedElement element, Set<? extends Class<? extends Annotation>> kinds, Set<Class<?>> seen) {
        Set<Annotation> found = new LinkedHashSet<>();
        Annotation[] declared = element.getDeclaredAnnotations();
        for (Annotation annotation : declared) {
            if (kinds.contains(annotation.annotationType())) {
                found.add(annotation);
            }
        }
        if (!found.isEmpty()) {
            return found;
        }
        for (Annotation annotation : declared) {
            Class<? extends Annotation> type = annotation.annotationType();
            if (TrackingAnnotations.mayBeComposed(type) && seen.add(type)) {
                found.addAll(of(type, kinds, seen));
            }
        }
        if (found.isEmpty() && element instanceof Class<?> type && !type.isAnnotation()) {
            for (Class<?> implemented : type.getInterfaces()) {
                found.addAll(of(implemented, kinds));
            }
            if (found.isEmpty() && type.getSuperclass() != null && type.getSuperclass() != Object.class) {
                found.addAll(of(type.getSuperclass(), kinds));
            }
        }
        return found;
    }
}
