package dev.meshguard.handle;

import java.lang.ref.WeakReference;
import java.util.concurrent.atomic.AtomicInteger;

/** The collection of this Java machine. Threads that request one while another one runs share the next. */
final class ForcedCollection implements GarbageCollection {

    @SuppressWarnings("DoNotCall") // There is no other way to request one.
    static final ForcedCollection OF_JVM = new ForcedCollection(System::gc);

    private final Runnable collector;
    /** How many collections have begun; the lock of those who request one. */
    private final AtomicInteger begun = new AtomicInteger();

    ForcedCollection(Runnable collector) {
        this.collector = collector;
    }

    @Override
    public boolean run() {
        WeakReference<Object> sentinel = new WeakReference<>(new Object());
        int before = begun.get();
        synchronized (begun) {
            // One that began after the request collects the same garbage.
            if (begun.get() == before) {
                begun.incrementAndGet();
                collector.run();
            }
        }
        return sentinel.refersTo(null);
    }
}
