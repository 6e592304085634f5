package dev.meshguard.closeables;

import java.lang.reflect.Method;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Finds the objects of which Mockito made spies, if Mockito is on the class path.
 *
 * <p>A spy is a copy, so the call of its closing method closes what its original holds. Source: {@code org.mockito.Mockito}.
 */
final class MockitoSpies {

    private static final Optional<Class<?>> MOCKITO = find();

    private MockitoSpies() {}

    private static Optional<Class<?>> find() {
        try {
            return Optional.of(Class.forName(
                    "org.mockito.Mockito", true, Thread.currentThread().getContextClassLoader()));
        } catch (ClassNotFoundException | LinkageError isMissing) {
            return Optional.empty();
        }
    }

    /** Returns the original of a spy; empty for any other object. */
    static Optional<Object> original(Object object) {
        return MOCKITO.map(mockito -> {
            try {
                Object details =
                        mockito.getMethod("mockingDetails", Object.class).invoke(null, object);
                return call(details, "isSpy") instanceof Boolean isSpy && isSpy
                        ? call(call(details, "getMockCreationSettings"), "getSpiedInstance")
                        : null;
            } catch (ReflectiveOperationException | LinkageError ofAnotherMockito) {
                return null;
            }
        });
    }

    private static @Nullable Object call(@Nullable Object target, String method) throws ReflectiveOperationException {
        if (target == null) {
            return null;
        }
        // The classes of Mockito are internal, their interfaces are not.
        for (Class<?> type : target.getClass().getInterfaces()) {
            for (Method candidate : type.getMethods()) {
                if (candidate.getName().equals(method) && candidate.getParameterCount() == 0) {
                    return candidate.invoke(target);
                }
            }
        }
        return null;
    }
}
