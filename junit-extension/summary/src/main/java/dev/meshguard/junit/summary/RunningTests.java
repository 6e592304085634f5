package dev.meshguard.junit.summary;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
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

    private static final Optional<Method> ANNOUNCE = ofExtension("announce");
    private static final Optional<Method> FINISHED = ofExtension("finished");

    private RunningTests() {}

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
        boolean hasClass = source instanceof MethodSource || source instanceof ClassSource;
        if (hasClass || test.isTest()) {
            String method = source instanceof MethodSource ofMethod ? ofMethod.getMethodName() : "";
            call(ANNOUNCE, test.getUniqueId(), test.isTest(), SummaryListener.classOf(test), method);
        }
    }

    /** Announces that the calling thread has run it. */
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
