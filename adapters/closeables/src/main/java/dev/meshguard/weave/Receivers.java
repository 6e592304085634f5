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

    /**
     * Returns the index of a receiver that belongs to a watch, of calls before anything has happened. They throw the error of a stack that ends,
     * so that the object is never handed out, or stays open.
     */
    int addFirst(Watch watch, BiConsumer<Object, @Nullable Object> receiver) {
        return add((object, argument) -> {
            // An idle call near the end of a stack makes no entry for its thread.
            if (!watch.isIdle() && !isBusy.get()[0]) {
                StackReserve.forOperation();
                pass(watch, receiver, object, argument);
            }
        });
    }

    /** Returns the index of a receiver of calls at about the same depth as one before them. */
    int add(Watch watch, BiConsumer<Object, @Nullable Object> receiver) {
        return add((object, argument) -> pass(watch, receiver, object, argument));
    }

    private synchronized int add(BiConsumer<Object, @Nullable Object> receiver) {
        all.add(receiver);
        return all.size() - 1;
    }

    private void pass(
            Watch watch, BiConsumer<Object, @Nullable Object> receiver, Object object, @Nullable Object argument) {
        try {
            if (watch.isIdle()) {
                return;
            }
            boolean[] busy = isBusy.get();
            if (!busy[0]) {
                busy[0] = true;
                try {
                    receiver.accept(object, argument);
                } finally {
                    busy[0] = false;
                }
            }
        } catch (RuntimeException | Error failure) {
            watch.lost(object, failure);
        }
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
