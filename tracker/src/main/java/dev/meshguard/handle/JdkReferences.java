package dev.meshguard.handle;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Gives a {@link HandleSearch} two kinds of references that the JDK hides: the object behind a view, and the values of thread locals. A
 * source that can read them makes this an {@linkplain dev.meshguard.tracker.AllocationTracker#attachment attachment} of its tracker.
 *
 * @since 0.1
 */
@API(status = Status.INTERNAL, since = "0.1")
public interface JdkReferences {

    /** Reads none. */
    JdkReferences NONE = new JdkReferences() {};

    /** Returns the object of which an object is a view: a holder of the view holds that object too. */
    default Optional<Object> viewedBy(Object view) {
        return Optional.empty();
    }

    /** Returns the values of thread locals, by the names of the threads. */
    default Map<String, List<Object>> threadLocals() {
        return Map.of();
    }
}
