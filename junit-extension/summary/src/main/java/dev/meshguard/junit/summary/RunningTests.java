package dev.meshguard.junit.summary;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Optional;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestIdentifier;

/**
 * Announces tests to the extension, which is not called for tests without annotation.
 *
 * <p>The extension brings this artifact, so it is called by reflection: this artifact cannot depend on it.
 */
final class RunningTests {

    private static final Optional<Class<?>> EXTENSION = extension();

    private RunningTests() {}

    private static Optional<Class<?>> extension() {
        try {
            return Optional.of(Class.forName("dev.meshguard.junit.internal.thread.RunningTest"));
        } catch (ClassNotFoundException isAbsent) {
            return Optional.empty();
        }
    }

    /** Announces what the calling thread runs from now on, if it is a test or has a class. */
    static void started(TestIdentifier test) {
        TestSource source = test.getSource().orElse(null);
        if (source instanceof MethodSource method) {
            announce(test, method.getClassName(), method.getMethodName());
        } else if (source instanceof ClassSource type) {
            announce(test, type.getClassName(), "");
        } else if (test.isTest()) {
            announce(test, test.getDisplayName(), "");
        }
    }

    private static void announce(TestIdentifier test, String type, String method) {
        call("announce", test.getUniqueId(), test.isTest(), type, method);
    }

    /** Announces that the calling thread has run it. */
    static void finished(TestIdentifier test) {
        call("finished", test.getUniqueId());
    }

    private static void call(String name, Object... arguments) {
        if (EXTENSION.isEmpty()) {
            return;
        }
        try {
            for (Method method : EXTENSION.get().getMethods()) {
                if (method.getName().equals(name)) {
                    method.invoke(null, arguments);
                }
            }
        } catch (IllegalAccessException | InvocationTargetException unexpected) {
            throw new IllegalStateException(unexpected);
        }
    }
}
