package dev.meshguard.weave;

import dev.meshguard.weave.ObjectPlan.Call;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Passes the calls of woven code to a watcher: of nested closing methods only the outermost. */
final class ObjectReports {

    private final ObjectWatcher watcher;
    /** How deep each thread is in closing methods of an object. */
    private final Map<Closing, Integer> depths = new ConcurrentHashMap<>();

    ObjectReports(ObjectWatcher watcher) {
        this.watcher = watcher;
    }

    /** Objects are compared by identity. */
    private record Closing(Object object, Thread thread) {

        static Closing of(Object object) {
            return new Closing(object, Thread.currentThread());
        }

        @Override
        @SuppressWarnings("ReferenceEquality") // Objects of the code under test are identities.
        public boolean equals(@Nullable Object other) {
            return other instanceof Closing closing && closing.object == object && closing.thread == thread;
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(object);
        }
    }

    /** Returns the receivers in the order of {@link Call}. */
    List<BiConsumer<Object, @Nullable Object>> receivers() {
        return List.of(
                (object, unused) -> watcher.constructed(object),
                (object, unused) -> watcher.constructionFailed(object),
                (object, unused) -> depths.merge(Closing.of(object), 1, Integer::sum),
                (object, unused) -> {
                    if (isOutermost(object)) {
                        watcher.closed(object);
                    }
                },
                (object, reason) -> {
                    if (isOutermost(object) && reason instanceof Throwable thrown) {
                        watcher.closeFailed(object, thrown);
                    }
                });
    }

    /** Leaves a closing method; one that was entered while no scope was open is none. */
    private boolean isOutermost(Object object) {
        Integer depth = depths.remove(Closing.of(object));
        if (depth != null && depth > 1) {
            depths.put(Closing.of(object), depth - 1);
        }
        return depth != null && depth == 1;
    }

    /** Forgets closing methods that return when no scope is open. */
    void forget() {
        depths.clear();
    }
}
