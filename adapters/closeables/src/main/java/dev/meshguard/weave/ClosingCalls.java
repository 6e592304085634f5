package dev.meshguard.weave;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The calls of closing methods that have not ended. Safe for use by several threads. */
final class ClosingCalls {

    /** Stands for a method that closes nothing by itself. */
    private static final String OVERRIDDEN = "";

    /** The names of the methods, the innermost last. A thread sees its own only. */
    private final Map<Receiver, List<String>> running = new ConcurrentHashMap<>();

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
        }
        if (!ended.equals(method)) {
            return Optional.empty();
        }
        // Most closing methods run in no other one.
        return Optional.of(
                names.isEmpty()
                        ? List.of()
                        : names.stream()
                                .filter(name -> !name.equals(OVERRIDDEN))
                                .toList());
    }
}
