package dev.meshguard.weave;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The closing methods that a thread has not left, and whether its calls are passed on. */
final class ClosingCalls {

    /** Stands for a method that closes nothing by itself. */
    private static final String OVERRIDDEN = "";

    /** Whether the thread runs code of the weaver or of a watcher. */
    boolean isBusy;

    /** The calls of closing methods, the innermost last. */
    private final List<ClosingCall> closing = new ArrayList<>(1);

    private record ClosingCall(Watch watch, Object object, String method) {

        @SuppressWarnings("ReferenceEquality") // Objects are identities.
        boolean isOf(Watch other, Object one) {
            return watch == other && object == one;
        }
    }

    /**
     * Enters a closing method of an object, and returns whether it must be left.
     *
     * @param decides whether it is the one that calls of the object run. Otherwise it is a part of the method that has called {@code super}
     */
    boolean begin(Watch watch, Object object, String method, boolean decides) {
        boolean isEntered = decides || innermost(watch, object) >= 0;
        if (isEntered) {
            closing.add(new ClosingCall(watch, object, decides ? method : OVERRIDDEN));
        }
        return isEntered;
    }

    /** Returns the index of the innermost call of an object; negative if there is none. */
    private int innermost(Watch watch, Object object) {
        int index = closing.size() - 1;
        while (index >= 0 && !closing.get(index).isOf(watch, object)) {
            index--;
        }
        return index;
    }

    /**
     * Leaves the innermost method of an object that was entered, and returns its name; null if there is none. Allocates no memory: there may be
     * none left.
     */
    @Nullable
    String end(Watch watch, Object object) {
        int ended = innermost(watch, object);
        return ended < 0 ? null : closing.remove(ended).method();
    }

    /** Returns the methods of an object that decide and run on. */
    List<String> deciding(Watch watch, Object object) {
        // Most closing methods run in no other one.
        return innermost(watch, object) < 0
                ? List.of()
                : closing.stream()
                        .filter(call -> call.isOf(watch, object) && !call.method.equals(OVERRIDDEN))
                        .map(ClosingCall::method)
                        .toList();
    }
}
