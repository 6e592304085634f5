package dev.meshguard.junit.internal.config;

import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.junit.TrackingLifetime;
import dev.meshguard.junit.internal.ConfigurationErrors;
import dev.meshguard.junit.internal.TestNames;
import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.util.HashSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Combines the {@link TrackAllocations} annotations of a test; for each setting the nearest one counts.
 *
 * <p>Each setting is resolved separately, so an annotation hides only what it sets. Annotations are therefore read where
 * they are declared: a search for the nearest would miss the farther ones.
 */
public final class TrackingAnnotations {

    private TrackingAnnotations() {}

    /**
     * Returns the combined settings of the annotations on the method, the class and its enclosing classes, the nearest
     * first.
     */
    public static PartialSettings annotated(ExtensionContext context) {
        PartialSettings all = ofMethod(context);
        for (Class<?> type : NearestAnnotations.classesOf(context)) {
            all = all.or(ofClass(type, all));
        }
        return all;
    }

    /** Rejects settings on a method that would also apply to the other tests on its mesh. */
    public static void rejectOnMethod(ExtensionContext context, TrackingSettings asked) {
        PartialSettings given = ofMethod(context);
        boolean isEachForItself = asked.checksEachTest();
        Optional<String> ofAll = Stream.of(TrackingSetting.ORIGINS, TrackingSetting.ACCOUNTING)
                .filter(setting -> given.get(setting).isPresent())
                .map(TrackingSetting::name)
                .findFirst();
        if (isEachForItself ? ofAll.isPresent() : !given.isEmpty()) {
            throw ConfigurationErrors.of(
                    "@TrackAllocations on " + nameOfMethod(context),
                    String.format(
                            Locale.ROOT,
                            "%s for one method of a mesh with lifetime = %s",
                            isEachForItself ? ofAll.get() : "a policy",
                            asked.lifetime()),
                    isEachForItself
                            ? "All its tests share one tracker: put it on the class."
                            : "Put it on the class, or let each test answer for itself with accounting = EACH_TEST.");
        }
    }

    private static PartialSettings ofMethod(ExtensionContext context) {
        if (context.getTestMethod().isEmpty()) {
            return PartialSettings.NONE;
        }
        PartialSettings given = on(context.getTestMethod().get(), nameOfMethod(context));
        given.get(TrackingSetting.LIFETIME)
                .filter(lifetime -> lifetime != TrackingLifetime.TEST)
                .ifPresent(lifetime -> {
                    throw ConfigurationErrors.of(
                            "@TrackAllocations on " + nameOfMethod(context),
                            "lifetime = " + lifetime,
                            String.format(
                                    Locale.ROOT,
                                    "On a method only TEST has a meaning: put %s on the class.",
                                    lifetime));
                });
        return given;
    }

    private static String nameOfMethod(ExtensionContext context) {
        return TestNames.of(context.getRequiredTestClass(), context.getRequiredTestMethod());
    }

    /**
     * Neither of two interfaces is nearer, so they must not contradict each other in a setting that nothing nearer sets.
     */
    private static PartialSettings ofClass(Class<?> type, PartialSettings nearer) {
        PartialSettings all = nearer.or(on(type, TestNames.of(type)));
        PartialSettings ofInterfaces = PartialSettings.NONE;
        for (Class<?> implemented : type.getInterfaces()) {
            ofInterfaces = ofInterfaces.beside(
                    ofClass(implemented, all).unless(all), "the interfaces of " + TestNames.of(type));
        }
        all = all.or(ofInterfaces);
        Class<?> superclass = type.getSuperclass();
        return superclass == null || superclass == Object.class ? all : all.or(ofClass(superclass, all));
    }

    private static PartialSettings on(AnnotatedElement element, String name) {
        return on(element, name, new HashSet<>());
    }

    /** Directly present annotations win over meta-annotations. */
    private static PartialSettings on(AnnotatedElement element, String name, Set<Class<?>> seen) {
        Annotation[] declared = element.getDeclaredAnnotations();
        PartialSettings own = declaredOn(element, name);
        PartialSettings composed = PartialSettings.NONE;
        for (Annotation annotation : declared) {
            Class<? extends Annotation> type = annotation.annotationType();
            if (mayBeComposed(type) && seen.add(type)) {
                composed = composed.beside(on(type, name, seen).unless(own), "the annotations on " + name);
            }
        }
        return own.or(composed);
    }

    private static PartialSettings declaredOn(AnnotatedElement element, String name) {
        TrackAllocations tracked = element.getDeclaredAnnotation(TrackAllocations.class);
        return tracked == null ? PartialSettings.NONE : PartialSettings.of(tracked, "@TrackAllocations on " + name);
    }

    /** Nearly every annotation on a test is one of these, which have no relevant meta-annotations. */
    static boolean mayBeComposed(Class<?> type) {
        String name = type.getName();
        return !name.startsWith("java.") && !name.startsWith("org.junit.") && !name.startsWith("org.apiguardian.");
    }
}
