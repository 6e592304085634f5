package dev.meshguard.closeables;

import java.lang.management.ClassLoadingMXBean;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Method;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Finds the objects of which Mockito made spies, if Mockito is in use; it is not started for that.
 *
 * <p>A spy is a copy, so the call of its closing method closes what its original holds. Source: {@code org.mockito.Mockito}.
 */
final class MockitoSpies {

    /** Mockito adds it to the classes of the JDK when it makes its first mock. */
    private static final String INLINE = "org.mockito.internal.creation.bytebuddy.inject.MockMethodDispatcher";

    private static final String SUBCLASS = "$MockitoMock$";

    private static final ClassLoadingMXBean CLASSES = ManagementFactory.getClassLoadingMXBean();

    /** How many classes had been loaded when there were no inline mocks: it takes long to look for a class that is missing. */
    private static final AtomicLong CLASSES_WITHOUT = new AtomicLong();

    private MockitoSpies() {}

    /** Returns the original of a spy; empty for any other object. */
    static Optional<Object> original(Object object) {
        if (!object.getClass().getName().contains(SUBCLASS) && !hasInlineMocks()) {
            return Optional.empty();
        }
        return find("org.mockito.Mockito", Thread.currentThread().getContextClassLoader())
                .map(mockito -> originalOf(object, mockito));
    }

    private static boolean hasInlineMocks() {
        long classes = CLASSES.getTotalLoadedClassCount();
        if (classes == CLASSES_WITHOUT.get()) {
            return false;
        }
        boolean areMade = find(INLINE, null).isPresent();
        CLASSES_WITHOUT.set(areMade ? 0 : classes);
        return areMade;
    }

    private static Optional<Class<?>> find(String name, @Nullable ClassLoader loader) {
        try {
            return Optional.of(Class.forName(name, false, loader));
        } catch (ClassNotFoundException | LinkageError isMissing) {
            return Optional.empty();
        }
    }

    private static @Nullable Object originalOf(Object object, Class<?> mockito) {
        try {
            Object details = mockito.getMethod("mockingDetails", Object.class).invoke(null, object);
            return Boolean.TRUE.equals(call(details, "isSpy"))
                    ? call(call(details, "getMockCreationSettings"), "getSpiedInstance")
                    : null;
        } catch (ReflectiveOperationException | LinkageError ofAnotherMockito) {
            return null;
        }
    }

    /** Calls a method of an interface: the classes of Mockito are internal. */
    private static @Nullable Object call(@Nullable Object target, String name) throws ReflectiveOperationException {
        if (target == null) {
            return null;
        }
        for (Class<?> type : target.getClass().getInterfaces()) {
            for (Method method : type.getMethods()) {
                if (method.getName().equals(name) && method.getParameterCount() == 0) {
                    return method.invoke(target);
                }
            }
        }
        return null;
    }
}
