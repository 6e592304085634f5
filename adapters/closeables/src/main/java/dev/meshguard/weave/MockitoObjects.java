package dev.meshguard.weave;

import java.lang.management.ClassLoadingMXBean;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Method;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;
import org.jspecify.annotations.Nullable;

/**
 * Recognizes mocks and spies of Mockito, if Mockito is in use; it is not started for that. No method of the object is called: a mock would record
 * it, and a spy that is about to run its own method would take it for that one.
 *
 * <p>Safe for use by several threads. Source: {@code org.mockito.Mockito}.
 *
 * @since 0.1
 */
@API(status = Status.INTERNAL, since = "0.1")
public final class MockitoObjects {

    /** Mockito adds it to the classes of the JDK when it makes its first mock. */
    private static final String INLINE = "org.mockito.internal.creation.bytebuddy.inject.MockMethodDispatcher";

    private static final String SUBCLASS = "$MockitoMock$";

    private static final ClassLoadingMXBean CLASSES = ManagementFactory.getClassLoadingMXBean();

    /** How many classes had been loaded when there were no inline mocks: it takes long to look for a class that is missing. */
    private static final AtomicLong CLASSES_WITHOUT = new AtomicLong();

    private MockitoObjects() {}

    /** Returns whether an object is a mock or a spy. */
    public static boolean isMock(Object object) {
        return details(object)
                .filter(details -> Boolean.TRUE.equals(call(details, "isMock")))
                .isPresent();
    }

    /** Returns the original of a spy; empty for any other object. A spy is a copy, so its close closes what its original holds. */
    public static Optional<Object> original(Object object) {
        return details(object)
                .filter(details -> Boolean.TRUE.equals(call(details, "isSpy")))
                .map(details -> call(call(details, "getMockCreationSettings"), "getSpiedInstance"));
    }

    private static Optional<Object> details(Object object) {
        if (!object.getClass().getName().contains(SUBCLASS) && !hasInlineMocks()) {
            return Optional.empty();
        }
        return find("org.mockito.Mockito", Thread.currentThread().getContextClassLoader())
                .or(() -> find("org.mockito.Mockito", object.getClass().getClassLoader()))
                .map(mockito -> detailsOf(object, mockito));
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

    private static @Nullable Object detailsOf(Object object, Class<?> mockito) {
        try {
            return mockito.getMethod("mockingDetails", Object.class).invoke(null, object);
        } catch (ReflectiveOperationException | LinkageError ofAnotherMockito) {
            return null;
        }
    }

    /** Calls a method of an interface: the classes of Mockito are internal. */
    private static @Nullable Object call(@Nullable Object target, String name) {
        if (target == null) {
            return null;
        }
        try {
            for (Class<?> type : target.getClass().getInterfaces()) {
                for (Method method : type.getMethods()) {
                    if (method.getName().equals(name) && method.getParameterCount() == 0) {
                        return method.invoke(target);
                    }
                }
            }
        } catch (ReflectiveOperationException | LinkageError ofAnotherMockito) {
            // Such a Mockito is not recognized.
        }
        return null;
    }
}
