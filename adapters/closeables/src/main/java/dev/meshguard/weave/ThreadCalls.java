package dev.meshguard.weave;

import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The calls of woven code that a thread has not left. */
final class ThreadCalls {

    /** Stands for a method that closes nothing by itself. */
    private static final String OVERRIDDEN = "";

    /** Whether the thread runs code of the weaver or of a watcher. */
    boolean isBusy;

    /** The innermost call of a closing method. */
    private @Nullable ClosingCall innermost;

    /**
     * A call.
     *
     * @param outer the one in which it runs
     */
    @SuppressWarnings("ReferenceEquality") // Objects and calls are identities.
    private record ClosingCall(
            Watch watch,
            Object object,
            String method,
            @Nullable ClosingCall outer) {

        boolean isOf(Watch other, Object one) {
            return watch == other && object == one;
        }

        @Nullable
        ClosingCall without(ClosingCall ended) {
            if (this == ended) {
                return outer;
            }
            return new ClosingCall(watch, object, method, outer == null ? null : outer.without(ended));
        }
    }

    /**
     * Enters a closing method of an object, and returns whether it must be left.
     *
     * @param decides whether it is the one that calls of the object run. Otherwise it is a part of the method that has called {@code super}
     */
    boolean begin(Watch watch, Object object, String method, boolean decides) {
        boolean isEntered = decides || innermostOf(watch, object) != null;
        if (isEntered) {
            innermost = new ClosingCall(watch, object, decides ? method : OVERRIDDEN, innermost);
        }
        return isEntered;
    }

    private @Nullable ClosingCall innermostOf(Watch watch, Object object) {
        ClosingCall call = innermost;
        while (call != null && !call.isOf(watch, object)) {
            call = call.outer;
        }
        return call;
    }

    /** Leaves the innermost method of an object that was entered, and returns its name; null if there is none. */
    @Nullable
    String end(Watch watch, Object object) {
        ClosingCall ended = innermostOf(watch, object);
        if (innermost == null || ended == null) {
            return null;
        }
        innermost = innermost.without(ended);
        return ended.method;
    }

    /** Returns the methods of an object that decide and run on. */
    List<String> deciding(Watch watch, Object object) {
        // Most closing methods run in no other one.
        return innermostOf(watch, object) == null
                ? List.of()
                : Stream.iterate(innermost, Objects::nonNull, ClosingCall::outer)
                        .filter(call -> call.isOf(watch, object) && !call.method.equals(OVERRIDDEN))
                        .map(ClosingCall::method)
                        .toList();
    }
}
