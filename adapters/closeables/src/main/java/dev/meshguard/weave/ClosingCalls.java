package dev.meshguard.weave;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/** The calls of closing methods that have not ended. Safe for use by several threads. */
final class ClosingCalls {

    /** Stands for a method that closes nothing by itself. */
    private static final String OVERRIDDEN = "";

    /** Those of each thread, the innermost last. */
    private final ThreadLocal<List<ClosingCall>> ofThread = ThreadLocal.withInitial(ArrayList::new);
    /** How many there are in all threads. */
    private final AtomicInteger running = new AtomicInteger();

    private record ClosingCall(Object object, String method) {

        @SuppressWarnings("ReferenceEquality") // Objects of the code under test are identities.
        boolean isOf(Object other) {
            return object == other;
        }
    }

    boolean isEmpty() {
        return running.get() == 0;
    }

    /**
     * Enters a method.
     *
     * @param decides whether it is the one that calls of the object run. Otherwise it is a part of the method that has called {@code super}
     */
    void begin(Object object, String method, boolean decides) {
        List<ClosingCall> calls = ofThread.get();
        if (decides || innermost(object, calls) >= 0) {
            calls.add(new ClosingCall(object, decides ? method : OVERRIDDEN));
            running.incrementAndGet();
        }
    }

    /** Leaves a method, and returns those that run on, if it decides. One that was entered before it was woven is none. */
    Optional<List<String>> end(Object object, String method) {
        List<ClosingCall> calls = ofThread.get();
        int innermost = innermost(object, calls);
        if (innermost < 0) {
            return Optional.empty();
        }
        running.decrementAndGet();
        if (!calls.remove(innermost).method().equals(method)) {
            return Optional.empty();
        }
        // Most closing methods run in no other one.
        return Optional.of(
                innermost == 0
                        ? List.of()
                        : calls.stream()
                                .filter(call ->
                                        call.isOf(object) && !call.method().equals(OVERRIDDEN))
                                .map(ClosingCall::method)
                                .toList());
    }

    /** Returns the index of the innermost call of an object; -1 if there is none. */
    private static int innermost(Object object, List<ClosingCall> calls) {
        int index = calls.size() - 1;
        while (index >= 0 && !calls.get(index).isOf(object)) {
            index--;
        }
        return index;
    }
}
