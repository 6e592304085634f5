package dev.meshguard.junit.summary;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.Supplier;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestIdentifier;

/**
 * Reports to MeshGuard's extension when each test begins and ends: JUnit does not call the extension for tests without its annotation.
 *
 * <p>The extension brings this artifact, so it is called by reflection: this artifact cannot depend on it.
 */
final class TestAnnouncer {

    private static final Optional<Method> ANNOUNCE = ofExtension("announce");
    private static final Optional<Method> FINISHED = ofExtension("finished");

    private TestAnnouncer() {}

    private static Optional<Method> ofExtension(String name) {
        try {
            Class<?> extension = Class.forName("dev.meshguard.junit.internal.thread.RunningTest");
            return Arrays.stream(extension.getMethods())
                    .filter(method -> method.getName().equals(name))
                    .findFirst();
        } catch (ClassNotFoundException isAbsent) {
            return Optional.empty();
        }
    }

    /** Announces what the calling thread runs from now on, if it is a test or has a class. */
    static void started(TestIdentifier test) {
        TestSource source = test.getSource().orElse(null);
        Optional<Class<?>> type = Optional.empty();
        Optional<Method> method = Optional.empty();
        String name = classOf(test);
        name = name.substring(name.lastIndexOf('.') + 1);
        if (source instanceof MethodSource ofMethod) {
            method = loaded(ofMethod::getJavaMethod);
            name += "#" + ofMethod.getMethodName();
        } else if (source instanceof ClassSource ofClass) {
            type = loaded(ofClass::getJavaClass);
        } else if (!test.isTest()) {
            return;
        }
        call(ANNOUNCE, test.getUniqueId(), test.isTest(), name, type, method);
    }

    /** Returns the name of the class that has a test; the display name if it has none. */
    static String classOf(TestIdentifier test) {
        TestSource source = test.getSource().orElse(null);
        return source instanceof MethodSource method
                ? method.getClassName()
                : source instanceof ClassSource type ? type.getClassName() : test.getDisplayName();
    }

    /** An engine may name a class or method that does not exist. */
    private static <T> Optional<T> loaded(Supplier<T> found) {
        try {
            return Optional.of(found.get());
        } catch (RuntimeException | LinkageError unreadable) {
            return Optional.empty();
        }
    }

    /** Announces that it has ended. */
    static void finished(TestIdentifier test) {
        call(FINISHED, test.getUniqueId());
    }

    private static void call(Optional<Method> method, Object... arguments) {
        if (method.isEmpty()) {
            return;
        }
        try {
            method.get().invoke(null, arguments);
        } catch (IllegalAccessException | InvocationTargetException unexpected) {
            throw new IllegalStateException(unexpected);
        }
    }
}
