package dev.meshguard.tracker.internal;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;
import org.jspecify.annotations.Nullable;

/**
 * Values of objects, each until its object is collected: see {@link WeakIdentity}. A value must not refer to its object.
 *
 * <p>Safe for use by several threads.
 */
@API(status = Status.INTERNAL, since = "0.1")
public final class WeakIdentityMap<V> {

    /** By {@link WeakIdentity}. */
    private final Map<Object, V> values = new ConcurrentHashMap<>();

    private final ReferenceQueue<Object> collected = new ReferenceQueue<>();
    private final Consumer<V> whenCollected;

    /** Creates an empty map. */
    public WeakIdentityMap() {
        this(unused -> {});
    }

    /**
     * Creates an empty map.
     *
     * @param whenCollected receives each value whose object was collected
     */
    public WeakIdentityMap(Consumer<V> whenCollected) {
        this.whenCollected = whenCollected;
    }

    /**
     * Equal to the key of an object. A weak reference would take longer, and work for the collector.
     *
     * @param object what is looked up
     */
    private record SameObject(Object object) {

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof WeakIdentity key && key.refersTo(object);
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(object);
        }
    }

    /** Returns the value of an object, or null. */
    public @Nullable V get(Object object) {
        return values.get(new SameObject(object));
    }

    /** Sets the value of an object. */
    public void put(Object object, V value) {
        forgetCollected();
        values.put(new WeakIdentity(object, collected), value);
    }

    /**
     * Sets the value of the object of a key, unless it has one, and returns whether it had none. Only {@link #forgetAllCollected}
     * removes that of a collected object.
     */
    public boolean putIfAbsent(WeakIdentity key, V value) {
        return values.putIfAbsent(key, value) == null;
    }

    /** Returns the value of an object; the first time, it is created. */
    public V computeIfAbsent(Object object, Supplier<V> created) {
        V known = get(object);
        if (known != null) {
            return known;
        }
        forgetCollected();
        return values.computeIfAbsent(new WeakIdentity(object, collected), unused -> created.get());
    }

    /** Removes the value of an object and returns it, or null. */
    public @Nullable V remove(Object object) {
        return values.remove(new SameObject(object));
    }

    /** Removes a value if it is that of an object, and returns whether it was. */
    public boolean remove(Object object, V value) {
        return values.remove(new SameObject(object), value);
    }

    /** Returns whether there is no value. */
    public boolean isEmpty() {
        return values.isEmpty();
    }

    /** Returns all values. */
    public Stream<V> values() {
        return values.values().stream();
    }

    /** Returns the objects that have a value and are not collected. */
    public Stream<Object> objects() {
        return keys().flatMap(key -> Stream.ofNullable(key.get()));
    }

    /** Removes the values of those objects that the collector has announced. */
    public void forgetCollected() {
        // Loops, because transformers of classes call this: a class of the JDK must not need itself.
        for (Reference<?> one = collected.poll(); one != null; one = collected.poll()) {
            forget(one);
        }
    }

    /**
     * Removes the values of all collected objects, also of those that the collector has not announced yet. Afterwards all are received, by
     * whichever thread.
     */
    public synchronized void forgetAllCollected() {
        keys().filter(key -> key.refersTo(null)).forEach(this::forget);
    }

    private Stream<WeakIdentity> keys() {
        return values.keySet().stream().map(WeakIdentity.class::cast);
    }

    private synchronized void forget(Reference<?> key) {
        V value = values.remove(key);
        if (value != null) {
            whenCollected.accept(value);
        }
    }
}
