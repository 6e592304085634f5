package dev.meshguard.weave;

import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The calls of closing methods that have not ended. Safe for use by several threads. */
final class ClosingCalls {

    /** Stands for a method that closes nothing by itself. */
    private static final String OVERRIDDEN = "";

    /** The innermost call of each object, for each thread. */
    private final ThreadLocal<Map<Object, ClosingCall>> ofThread = ThreadLocal.withInitial(IdentityHashMap::new);
    /** How many calls there are in all threads. */
    private final AtomicInteger running = new AtomicInteger();

    /**
     * A call.
     *
     * @param outer the one of the same object in which it runs
     */
    private record ClosingCall(String method, @Nullable ClosingCall outer) {}

    boolean isEmpty() {
        return running.get() == 0;
    }

    /**
     * Enters a method.
     *
     * @param decides whether it is the one that calls of the object run. Otherwise it is a part of the method that has called {@code super}
     */
    void begin(Object object, String method, boolean decides) {
        Map<Object, ClosingCall> calls = ofThread.get();
        ClosingCall outer = calls.get(object);
        if (decides || outer != null) {
            calls.put(object, new ClosingCall(decides ? method : OVERRIDDEN, outer));
            running.incrementAndGet();
        }
    }

    /** Leaves a method, and returns those that run on, if it decides. One that was entered before it was woven is none. */
    Optional<List<String>> end(Object object, String method) {
        ClosingCall call = removeInnermost(object);
        return call == null || !call.method().equals(method)
                ? Optional.empty()
                // Most closing methods run in no other one.
                : Optional.of(call.outer() == null ? List.of() : decidingFrom(call.outer()));
    }

    private static List<String> decidingFrom(ClosingCall innermost) {
        return Stream.iterate(innermost, Objects::nonNull, ClosingCall::outer)
                .map(ClosingCall::method)
                .filter(method -> !method.equals(OVERRIDDEN))
                .toList();
    }

    private @Nullable ClosingCall removeInnermost(Object object) {
        Map<Object, ClosingCall> calls = ofThread.get();
        ClosingCall call = calls.remove(object);
        if (call != null) {
            running.decrementAndGet();
            if (call.outer() != null) {
                calls.put(object, call.outer());
            }
        }
        return call;
    }

    /** Leaves all methods of an object: the end of one may not have been heard. */
    void forget(Object object) {
        ClosingCall left;
        do {
            left = removeInnermost(object);
        } while (left != null);
    }
}
