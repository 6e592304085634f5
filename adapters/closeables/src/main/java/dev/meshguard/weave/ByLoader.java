package dev.meshguard.weave;

import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Values of classes: by class loader, which is held weakly, and by internal name. */
final class ByLoader<V> {

    private final Map<@Nullable ClassLoader, Map<String, V>> values = Collections.synchronizedMap(new WeakHashMap<>());

    /** Returns the values of the classes of a loader, for reading and writing. */
    Map<String, V> of(@Nullable ClassLoader loader) {
        return values.computeIfAbsent(loader, unused -> new ConcurrentHashMap<>());
    }
}
