package dev.meshguard.junit;

import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The annotations of one kind that are equally near to a class or method.
 *
 * <p>JUnit's search returns the first that it finds. Of two interfaces, or two composed annotations, neither is nearer
 * than the other.
 */
final class NearestAnnotations {

    private NearestAnnotations() {}

    /**
     * Returns the annotation on the element itself; else those in annotations on it, else those of its interfaces, else
     * those of its superclass. Equal annotations are returned once.
     */
    static <A extends Annotation> Set<A> of(AnnotatedElement element, Class<A> kind) {
        return of(element, kind, new HashSet<>());
    }

    private static <A extends Annotation> Set<A> of(AnnotatedElement element, Class<A> kind, Set<Class<?>> seen) {
        A declared = element.getDeclaredAnnotation(kind);
        if (declared != null) {
            return Set.of(declared);
        }
        Set<A> found = new LinkedHashSet<>();
        for (Annotation annotation : element.getDeclaredAnnotations()) {
            Class<? extends Annotation> type = annotation.annotationType();
            if (PolicyAnnotations.mayBeComposed(type) && seen.add(type)) {
                found.addAll(of(type, kind, seen));
            }
        }
        if (found.isEmpty() && element instanceof Class<?> type && !type.isAnnotation()) {
            for (Class<?> implemented : type.getInterfaces()) {
                found.addAll(of(implemented, kind));
            }
            if (found.isEmpty() && type.getSuperclass() != null && type.getSuperclass() != Object.class) {
                found.addAll(of(type.getSuperclass(), kind));
            }
        }
        return found;
    }
}
