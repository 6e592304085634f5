package dev.meshguard.weave;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Values of classes: by class loader, which is held weakly and compared by identity, and by internal name. */
final class ByLoader<V> {

    private final Map<WeakIdentity, Map<String, V>> values = new ConcurrentHashMap<>();
    private final Map<String, V> ofBootstrapLoader = new ConcurrentHashMap<>();
    private final ReferenceQueue<Object> collected = new ReferenceQueue<>();

    /** Returns the values of the classes of a loader, for reading and writing. */
    Map<String, V> of(@Nullable ClassLoader loader) {
        for (Reference<?> one = collected.poll(); one != null; one = collected.poll()) {
            values.remove(one);
        }
        if (loader == null) {
            return ofBootstrapLoader;
        }
        Map<String, V> known = values.get(new WeakIdentity(loader));
        return known == null
                ? values.computeIfAbsent(new WeakIdentity(loader, collected), unused -> new ConcurrentHashMap<>())
                : known;
    }
}
