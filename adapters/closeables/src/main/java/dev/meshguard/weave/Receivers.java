package dev.meshguard.weave;

import dev.meshguard.tracker.internal.StackReserve;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** The receivers of calls of woven code, each with its index, and the threads whose calls are not passed on. */
final class Receivers {

    private final ThreadLocal<ClosingCalls> calls = ThreadLocal.withInitial(ClosingCalls::new);
    /** Guarded by this. */
    private final List<Receiver> all = new ArrayList<>();
    /** The same, with null for those of watches that sleep. Guarded by this. */
    private @Nullable Receiver[] awake = {};
    /** Null until there is an agent. Guarded by this. */
    private @Nullable Dispatcher dispatcher;

    /** The code of a watch that handles a call. */
    @FunctionalInterface
    interface Action {

        void accept(ClosingCalls thread, Object object, @Nullable Object argument);
    }

    private final class Receiver implements BiConsumer<Object, @Nullable Object> {

        private final Watch watch;
        private final Action action;
        private final boolean isFirst;

        Receiver(Watch watch, Action action, boolean isFirst) {
            this.watch = watch;
            this.action = action;
            this.isFirst = isFirst;
        }

        /** One method, because each more is a frame in the stacks of objects. */
        @Override
        public void accept(Object object, @Nullable Object argument) {
            boolean hasBegun = !isFirst;
            try {
                // An idle call near the end of a stack makes no entry for its thread.
                if (watch.isIdle()) {
                    sleep(watch);
                    return;
                }
                ClosingCalls thread = calls.get();
                if (thread.isBusy) {
                    return;
                }
                if (isFirst) {
                    StackReserve.forOperation();
                    hasBegun = true;
                }
                thread.isBusy = true;
                try {
                    action.accept(thread, object, argument);
                } finally {
                    thread.isBusy = false;
                }
            } catch (RuntimeException | Error failure) {
                if (!hasBegun) {
                    throw failure;
                }
                watch.lost(calls.get(), object, failure);
            }
        }
    }

    /**
     * Returns the index of a receiver that belongs to a watch, of calls before anything has happened. They throw the error of a stack that ends,
     * so that the object is never handed out, or stays open.
     */
    int addFirst(Watch watch, Action action) {
        return add(new Receiver(watch, action, true));
    }

    /** Returns the index of a receiver of calls at about the same depth as one before them. */
    int add(Watch watch, Action action) {
        return add(new Receiver(watch, action, false));
    }

    private synchronized int add(Receiver receiver) {
        all.add(receiver);
        awake = Arrays.copyOf(awake, all.size());
        set(receiver.watch, true);
        return all.size() - 1;
    }

    /** Defines the class that woven code calls. */
    synchronized Dispatcher dispatcher() {
        Dispatcher defined = Dispatcher.define();
        defined.pass(awake);
        dispatcher = defined;
        return defined;
    }

    /** Lets woven code make no calls for a watch that is idle. */
    private synchronized void sleep(Watch watch) {
        if (watch.isIdle()) {
            set(watch, false);
        }
    }

    /** Lets woven code make the calls for a watch. */
    synchronized void wake(Watch watch) {
        set(watch, true);
    }

    /** Allocates no memory: there may be none left. */
    private void set(Watch watch, boolean isAwake) {
        boolean isAnyAwake = false;
        for (int index = 0; index < awake.length; index++) {
            Receiver receiver = all.get(index);
            if (receiver.watch == watch) {
                awake[index] = isAwake ? receiver : null;
            }
            isAnyAwake |= awake[index] != null;
        }
        if (dispatcher != null) {
            dispatcher.pass(isAnyAwake ? awake : null);
        }
    }

    /** Lets the calls of the current thread be passed on or not, and returns whether they were not. */
    boolean setBusy(boolean isBusy) {
        ClosingCalls thread = calls.get();
        boolean before = thread.isBusy;
        thread.isBusy = isBusy;
        return before;
    }

    /** Runs code whose own calls are not passed on. */
    void quietly(Runnable code) {
        boolean wasBusy = setBusy(true);
        try {
            code.run();
        } finally {
            setBusy(wasBusy);
        }
    }
}
