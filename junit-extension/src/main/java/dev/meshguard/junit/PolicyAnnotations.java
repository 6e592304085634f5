package dev.meshguard.junit;

import dev.meshguard.junit.internal.TestNames;
import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Reads the policies from the annotations of a test.
 *
 * <p>Each policy is resolved separately, so an annotation hides only what it sets. Annotations are therefore read where
 * they are declared: a search for the nearest would miss the farther ones.
 */
final class PolicyAnnotations {

    private PolicyAnnotations() {}

    /**
     * Returns the combined policies of the annotations on the method, the class and its enclosing classes, the nearest
     * first.
     */
    static PartialPolicy annotated(ExtensionContext context) {
        PartialPolicy all = ofMethod(context);
        List<Class<?>> outermostFirst = new ArrayList<>(context.getEnclosingTestClasses());
        context.getTestClass().ifPresent(outermostFirst::add);
        Collections.reverse(outermostFirst);
        for (Class<?> type : outermostFirst) {
            all = all.or(ofClass(type, all));
        }
        return all;
    }

    /** Rejects policies on a method that would also apply to the other tests on its mesh. */
    static void rejectOnMethod(ExtensionContext context, TrackingSettings asked) {
        PartialPolicy given = ofMethod(context);
        boolean isEachForItself = asked.checksEachTest();
        if (isEachForItself ? given.origins().isPresent() : !given.equals(PartialPolicy.NONE)) {
            throw TrackingSettings.rejected(
                    "@AllocationPolicy on " + nameOfMethod(context),
                    String.format(
                            Locale.ROOT,
                            "%s for one method of a mesh with lifetime = %s",
                            isEachForItself ? "origins" : "a policy",
                            asked.lifetime()),
                    isEachForItself
                            ? "All its tests share one tracker: put it on the class."
                            : "Put it on the class, or let each test answer for itself with accounting = EACH_TEST.");
        }
    }

    private static PartialPolicy ofMethod(ExtensionContext context) {
        return context.getTestMethod()
                .map(method -> on(method, nameOfMethod(context)))
                .orElse(PartialPolicy.NONE);
    }

    private static String nameOfMethod(ExtensionContext context) {
        return TestNames.of(context.getRequiredTestClass(), context.getRequiredTestMethod());
    }

    /**
     * Neither of two interfaces is nearer, so they must not contradict each other in a policy that nothing nearer sets.
     */
    private static PartialPolicy ofClass(Class<?> type, PartialPolicy nearer) {
        PartialPolicy all = nearer.or(on(type, TestNames.of(type)));
        PartialPolicy ofInterfaces = PartialPolicy.NONE;
        for (Class<?> implemented : type.getInterfaces()) {
            ofInterfaces = ofInterfaces.beside(
                    ofClass(implemented, all).unless(all), "the interfaces of " + TestNames.of(type));
        }
        all = all.or(ofInterfaces);
        Class<?> superclass = type.getSuperclass();
        return superclass == null || superclass == Object.class ? all : all.or(ofClass(superclass, all));
    }

    private static PartialPolicy on(AnnotatedElement element, String name) {
        return on(element, name, new HashSet<>());
    }

    /** Directly present annotations win over meta-annotations. */
    private static PartialPolicy on(AnnotatedElement element, String name, Set<Class<?>> seen) {
        Annotation[] declared = element.getDeclaredAnnotations();
        PartialPolicy own = declaredOn(element, name);
        PartialPolicy composed = PartialPolicy.NONE;
        for (Annotation annotation : declared) {
            Class<? extends Annotation> type = annotation.annotationType();
            if (mayBeComposed(type) && seen.add(type)) {
                composed = composed.beside(on(type, name, seen).unless(own), "the annotations on " + name);
            }
        }
        return own.or(composed);
    }

    private static PartialPolicy declaredOn(AnnotatedElement element, String name) {
        AllocationPolicy policy = element.getDeclaredAnnotation(AllocationPolicy.class);
        TrackAllocations tracked = element.getDeclaredAnnotation(TrackAllocations.class);
        PartialPolicy byPolicy =
                policy == null ? PartialPolicy.NONE : PartialPolicy.of(policy, "@AllocationPolicy on " + name);
        PartialPolicy byTracked =
                tracked == null ? PartialPolicy.NONE : PartialPolicy.of(tracked, "@TrackAllocations on " + name);
        return byPolicy.beside(byTracked, "@AllocationPolicy and @TrackAllocations on " + name);
    }

    /** Nearly every annotation on a test is one of these, which have no relevant meta-annotations. */
    static boolean mayBeComposed(Class<?> type) {
        String name = type.getName();
        return !name.startsWith("java.") && !name.startsWith("org.junit.") && !name.startsWith("org.apiguardian.");
    }
}
