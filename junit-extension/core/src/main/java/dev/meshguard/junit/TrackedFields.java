package dev.meshguard.junit;

import dev.meshguard.junit.internal.ConfigurationErrors;
import dev.meshguard.junit.internal.TestNames;
import dev.meshguard.junit.internal.check.SessionStore;
import dev.meshguard.junit.internal.session.TrackingSession;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.platform.commons.support.AnnotationSupport;
import org.junit.platform.commons.support.ReflectionSupport;

/** Injects the fields that are {@link Tracked}. */
final class TrackedFields {

    private TrackedFields() {}

    /** Sets the static fields of the class of a context. */
    static void fill(ExtensionContext context, Supplier<TrackingSession> session) {
        AnnotationSupport.findAnnotatedFields(
                        context.getRequiredTestClass(), Tracked.class, field -> Modifier.isStatic(field.getModifiers()))
                .forEach(field -> fill(field, null, session.get(), context));
    }

    /** Sets the fields of all instances of a test. */
    static void fill(ExtensionContext context, TrackingSession session) {
        for (Object instance : context.getRequiredTestInstances().getAllInstances()) {
            for (Field field :
                    SessionStore.fields(context, instance.getClass(), () -> ofInstance(instance.getClass()))) {
                rejectSharedTests(field, context);
                fill(field, instance, session, context);
            }
        }
    }

    /** Rejects the fields of a test, including static ones, that no session serves. */
    static void rejectUnfilled(ExtensionContext context) {
        if (SessionStore.of(context).served().isPresent()) {
            return;
        }
        for (Object instance : context.getRequiredTestInstances().getAllInstances()) {
            for (Field field : AnnotationSupport.findAnnotatedFields(instance.getClass(), Tracked.class)) {
                throw ConfigurationErrors.of(
                        location(field),
                        "a field of a test that nothing tracks",
                        String.format(
                                Locale.ROOT,
                                "Annotate %s with @TrackAllocations.",
                                TestNames.of(context.getRequiredTestClass())));
            }
        }
    }

    private static List<Field> ofInstance(Class<?> type) {
        return AnnotationSupport.findAnnotatedFields(
                type, Tracked.class, field -> !Modifier.isStatic(field.getModifiers()));
    }

    private static void fill(
            Field field, @Nullable Object instance, TrackingSession session, ExtensionContext context) {
        Class<?> type = field.getType();
        if (!InjectableTypes.has(type, context)) {
            throw ConfigurationErrors.of(
                    location(field),
                    "type " + type.getSimpleName(),
                    "There is " + String.join(", ", InjectableTypes.names(context)) + ".");
        }
        if (Modifier.isFinal(field.getModifiers())) {
            throw ConfigurationErrors.of(
                    location(field), "a final field", "It is filled for each test: let it not be final.");
        }
        try {
            // Test modules open themselves to JUnit but not to MeshGuard; this field is accessible once JUnit has read
            // it.
            ReflectionSupport.tryToReadFieldValue(field, instance).get();
            field.set(instance, InjectableTypes.of(type, session));
        } catch (Exception refusal) {
            throw new ExtensionConfigurationException(
                    String.format(
                            Locale.ROOT,
                            "%s cannot be filled. Open its package to org.junit.platform.commons, or ask for a parameter.",
                            location(field)),
                    refusal);
        }
    }

    /** One field of one instance cannot hold the values of several concurrent tests. */
    private static void rejectSharedTests(Field field, ExtensionContext context) {
        boolean isShared = context.getTestInstanceLifecycle().orElse(Lifecycle.PER_METHOD) == Lifecycle.PER_CLASS;
        if (isShared && context.getExecutionMode() == ExecutionMode.CONCURRENT) {
            throw ConfigurationErrors.of(
                    location(field),
                    "a field of an instance whose tests run at the same time",
                    "Ask for a parameter, or let the tests of the class run one after the other.");
        }
    }

    private static String location(Field field) {
        return "@Tracked on " + TestNames.of(field.getDeclaringClass()) + "." + field.getName();
    }
}
