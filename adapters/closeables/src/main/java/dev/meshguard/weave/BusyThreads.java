package dev.meshguard.weave;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The threads that run code of the weaver or of a watcher, whose own objects are not reported. */
final class BusyThreads {

    private final Set<Thread> threads = ConcurrentHashMap.newKeySet();

    /** Returns whether the current thread was not busy. If so, it must {@link #leave}. */
    boolean enter() {
        return threads.add(Thread.currentThread());
    }

    void leave() {
        threads.remove(Thread.currentThread());
    }
}
