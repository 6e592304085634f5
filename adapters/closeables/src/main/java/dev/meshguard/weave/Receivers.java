package dev.meshguard.weave;

import dev.meshguard.tracker.internal.StackReserve;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** The receivers of calls of woven code, each with its index, and the threads whose calls are not passed on. */
final class Receivers {

    private final List<BiConsumer<Object, @Nullable Object>> all = new CopyOnWriteArrayList<>();
    /** Whether the thread runs code of the weaver or of a watcher. */
    private final ThreadLocal<boolean[]> isBusy = ThreadLocal.withInitial(() -> new boolean[1]);

    private final Runnable beforeCall;

    Receivers(Runnable beforeCall) {
        this.beforeCall = beforeCall;
    }

    /** Returns the index of a receiver that belongs to a watch. */
    synchronized int add(Watch watch, BiConsumer<Object, @Nullable Object> receiver) {
        all.add((object, argument) -> {
            if (watch.isIdle()) {
                return;
            }
            boolean[] busy = isBusy.get();
            if (!busy[0]) {
                // The constructor or closing method throws it: its object was never handed out, or is still open.
                StackReserve.forOperation();
                busy[0] = true;
                try {
                    beforeCall.run();
                    receiver.accept(object, argument);
                } catch (RuntimeException | Error failure) {
                    watch.notWatched(object.getClass().getName(), "The report of an object failed: " + failure);
                } finally {
                    busy[0] = false;
                }
            }
        });
        return all.size() - 1;
    }

    /** Returns all, also those that are added later. */
    List<BiConsumer<Object, @Nullable Object>> all() {
        return Collections.unmodifiableList(all);
    }

    /** Makes the current thread busy, and returns whether it was not. If so, it must {@link #leave}. */
    boolean enter() {
        boolean[] busy = isBusy.get();
        boolean isFirst = !busy[0];
        busy[0] = true;
        return isFirst;
    }

    void leave() {
        isBusy.get()[0] = false;
    }

    /** Runs code whose own calls are not passed on. */
    void quietly(Runnable code) {
        boolean isFirst = enter();
        try {
            code.run();
        } finally {
            if (isFirst) {
                leave();
            }
        }
    }
}
