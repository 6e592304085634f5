package dev.meshguard.weave;

import dev.meshguard.tracker.internal.WeakIdentityMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Values of classes: by class loader, which is held weakly and compared by identity, and by internal name. */
final class ByLoader<V> {

    private final WeakIdentityMap<Map<String, V>> values = new WeakIdentityMap<>();
    private final Map<String, V> ofBootstrapLoader = new ConcurrentHashMap<>();

    /** Returns the values of the classes of a loader, for reading and writing. */
    Map<String, V> of(@Nullable ClassLoader loader) {
        return loader == null ? ofBootstrapLoader : values.computeIfAbsent(loader, ConcurrentHashMap::new);
    }
}
