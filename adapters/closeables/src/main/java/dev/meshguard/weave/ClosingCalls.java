package dev.meshguard.weave;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The calls of closing methods that have not ended. Safe for use by several threads. */
final class ClosingCalls {

    /** Stands for a method that closes nothing by itself. */
    private static final String OVERRIDDEN = "";

    /** Most closing methods run in no other one. */
    private static final Optional<List<String>> WITHIN_NONE = Optional.of(List.of());

    /** The names of the methods, the innermost last. A thread sees its own only. */
    private final Map<Receiver, List<String>> running = new ConcurrentHashMap<>();

    /** The class that has the method of a name which calls run, by the class of their object. */
    private final ClassValue<Map<String, Class<?>>> deciding = new ClassValue<>() {
        @Override
        protected Map<String, Class<?>> computeValue(Class<?> type) {
            return new ConcurrentHashMap<>();
        }
    };

    /** An object, compared by identity, in a thread. */
    private record Receiver(Object object, Thread thread) {

        static Receiver of(Object object) {
            return new Receiver(object, Thread.currentThread());
        }

        @Override
        @SuppressWarnings("ReferenceEquality") // Objects of the code under test are identities.
        public boolean equals(@Nullable Object other) {
            return other instanceof Receiver receiver && receiver.object == object && receiver.thread == thread;
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(object);
        }
    }

    boolean isEmpty() {
        return running.isEmpty();
    }

    /**
     * Enters a method.
     *
     * @param decides whether it is the one that calls of the object run. Otherwise it is a part of the method that has called {@code super}
     */
    void begin(Object object, String method, boolean decides) {
        Receiver receiver = Receiver.of(object);
        List<String> names = running.get(receiver);
        if (names == null && decides) {
            names = new ArrayList<>(1);
            running.put(receiver, names);
        }
        if (names != null) {
            names.add(decides ? method : OVERRIDDEN);
        }
    }

    /** Leaves a method, and returns those that run on, if it decides. One that was entered before it was woven is none. */
    Optional<List<String>> end(Object object, String method) {
        Receiver receiver = Receiver.of(object);
        List<String> names = running.get(receiver);
        if (names == null) {
            return Optional.empty();
        }
        String ended = names.remove(names.size() - 1);
        if (names.isEmpty()) {
            running.remove(receiver);
            return ended.equals(method) ? WITHIN_NONE : Optional.empty();
        }
        return ended.equals(method)
                ? Optional.of(
                        names.stream().filter(name -> !name.equals(OVERRIDDEN)).toList())
                : Optional.empty();
    }

    /**
     * Returns the class whose method of a name runs when one of an object is called.
     *
     * @throws LinkageError if a class of the object needs one that is missing
     */
    Class<?> deciding(Class<?> type, String method) {
        Map<String, Class<?>> known = deciding.get(type);
        Class<?> found = known.get(method);
        if (found == null) {
            found = find(type, method);
            known.put(method, found);
        }
        return found;
    }

    private static Class<?> find(Class<?> type, String method) {
        Class<?> ofPrivateMethod = null;
        for (Class<?> part = type; part != null; part = part.getSuperclass()) {
            for (Method one : part.getDeclaredMethods()) {
                if (ObjectPlan.isClosing(one, Set.of(method), false) && !Modifier.isAbstract(one.getModifiers())) {
                    if (!Modifier.isPrivate(one.getModifiers())) {
                        return part;
                    }
                    ofPrivateMethod = ofPrivateMethod == null ? part : ofPrivateMethod;
                }
            }
        }
        return ofPrivateMethod == null ? ofInterface(type, method) : ofPrivateMethod;
    }

    private static Class<?> ofInterface(Class<?> type, String method) {
        try {
            return type.getMethod(method).getDeclaringClass();
        } catch (NoSuchMethodException none) {
            return Object.class;
        }
    }
}
