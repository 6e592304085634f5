package dev.meshguard.tracker.internal;

import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Remembers the classes whose code captured stacks showed: they are initialised, so reading their static fields runs no code.
 *
 * <p>Other loaders may have several classes of one name, of which a stack does not show which one ran.
 */
@API(status = Status.INTERNAL, since = "0.1")
public final class ClassesOnStacks {

    private static final Set<String> NAMES = ConcurrentHashMap.newKeySet();

    private ClassesOnStacks() {}

    /** Adds those of a stack. */
    public static void add(StackTraceElement... stack) {
        String system = ClassLoader.getSystemClassLoader().getName();
        for (StackTraceElement frame : stack) {
            if (system != null && system.equals(frame.getClassLoaderName())) {
                NAMES.add(frame.getClassName());
            }
        }
    }

    /** Returns the class, if one of that name ran. */
    public static Optional<Class<?>> named(String name) {
        ClassLoader system = ClassLoader.getSystemClassLoader();
        try {
            return NAMES.contains(name)
                    ? Optional.<Class<?>>of(Class.forName(name, false, system))
                            .filter(type -> type.getClassLoader() == system)
                    : Optional.empty();
        } catch (ClassNotFoundException | LinkageError hidden) {
            return Optional.empty();
        }
    }
}
