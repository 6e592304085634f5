package dev.meshguard.junit.internal.template;

import dev.meshguard.junit.internal.ConfigurationErrors;
import dev.meshguard.junit.internal.TestNames;
import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestTemplate;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * An annotation of MeshGuard that makes a method a test template of JUnit, such as {@code @RepeatUntilStable}, as found
 * on one method.
 *
 * @param annotation the annotation
 * @param context the context of all its invocations
 */
public record TemplateAnnotation<A extends Annotation>(A annotation, ExtensionContext context) {

    private static final List<Class<? extends Annotation>> TESTS =
            List.of(Test.class, TestFactory.class, TestTemplate.class);

    /** Returns whether the annotation is present on a method. */
    public static boolean isOn(ExtensionContext context, Class<? extends Annotation> type) {
        return AnnotationSupport.isAnnotated(context.getTestMethod(), type);
    }

    /**
     * Returns the annotation of a method.
     *
     * @throws ExtensionConfigurationException if it is combined with an incompatible annotation
     */
    public static <A extends Annotation> TemplateAnnotation<A> of(ExtensionContext context, Class<A> type) {
        A annotation =
                AnnotationSupport.findAnnotation(context.getTestMethod(), type).orElseThrow();
        TemplateAnnotation<A> use = new TemplateAnnotation<>(annotation, context);
        use.rejectOtherTemplates();
        use.rejectConcurrency();
        return use;
    }

    /** Returns the annotation and its location. */
    public String location() {
        return "@" + annotation.annotationType().getSimpleName() + " on " + name();
    }

    /** Returns the method with its class. */
    public String name() {
        return TestNames.of(context.getRequiredTestClass(), context.getRequiredTestMethod());
    }

    /** Returns the error for an invalid use. */
    public ExtensionConfigurationException rejected(String value, String allowed) {
        return ConfigurationErrors.of(location(), value, allowed);
    }

    /** Rejects a number that is less than the minimum. */
    public void requireAtLeast(int least, String name, int value) {
        if (value < least) {
            throw rejected(name + " = " + value, String.format(Locale.ROOT, "Give %d or more.", least));
        }
    }

    private void rejectOtherTemplates() {
        otherTest(context.getRequiredTestMethod(), new HashSet<>()).ifPresent(type -> {
            throw rejected(
                    "@" + type.getSimpleName() + " beside it",
                    "It makes a test of the method by itself: leave the other one out.");
        });
    }

    /** Returns an annotation that would run the method in addition to this template, with an unrelated mesh. */
    private Optional<Class<? extends Annotation>> otherTest(AnnotatedElement element, Set<Class<?>> seen) {
        Class<? extends Annotation> own = annotation.annotationType();
        for (Annotation written : element.getAnnotations()) {
            Class<? extends Annotation> type = written.annotationType();
            if (type == own || !seen.add(type)) {
                continue;
            }
            if (AnnotationSupport.isAnnotated(type, own)) {
                Optional<Class<? extends Annotation>> composed = otherTest(type, seen);
                if (composed.isPresent()) {
                    return composed;
                }
            } else if (TESTS.stream().anyMatch(test -> type == test || AnnotationSupport.isAnnotated(type, test))) {
                return Optional.of(type);
            }
        }
        return Optional.empty();
    }

    private void rejectConcurrency() {
        if (context.getExecutionMode() == ExecutionMode.CONCURRENT) {
            throw rejected(
                    "@Execution(CONCURRENT)",
                    "Each invocation depends on the one before: leave it out; other tests may still run at the same time.");
        }
    }
}
