package dev.meshguard.event;

import java.util.List;
import java.util.Optional;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Whether the handle of a request can still be reached, as far as that was found out.
 *
 * <p>Found out once, when something survived, and recorded: a history that is read again gives the same verdict although the handle
 * is long gone. It explains why a buffer is left and never decides whether one is.
 *
 * @param state what was found
 * @param path the fields that hold the handle, from the root, as a person reads them: {@code KvCacheTest.cache},
 *     {@code ArrayList[0]}; empty if nothing holds it or nobody found what does
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record Reachability(State state, List<String> path) {

    /** What was found. */
    public enum State {
        /** Collections came and went, and the handle is still there. */
        HELD,
        /** The handle was collected. */
        LOST,
        /** Collections could not be forced, so a handle that is still there may be garbage. */
        UNKNOWN
    }

    /**
     * Creates a finding with its own copy of the path.
     *
     * @throws IllegalArgumentException if a path is given for a handle that nothing is known to hold
     */
    public Reachability {
        path = List.copyOf(path);
        if (state == State.LOST && !path.isEmpty()) {
            throw new IllegalArgumentException(
                    "A handle that was collected is held by nothing: the path given is " + path);
        }
    }

    /** Returns that the handle is held, by the given fields from the root on. */
    public static Reachability heldBy(List<String> path) {
        return new Reachability(State.HELD, path);
    }

    /** Returns that the handle is held, and not known by what. */
    public static Reachability held() {
        return heldBy(List.of());
    }

    /** Returns that the handle was collected. */
    public static Reachability lost() {
        return new Reachability(State.LOST, List.of());
    }

    /** Returns that it could not be found out. */
    public static Reachability unknown() {
        return new Reachability(State.UNKNOWN, List.of());
    }

    /** Returns the path as one text, {@code KvCacheTest.cache -> ArrayList[0]}, if there is one. */
    public Optional<String> pathText() {
        return path.isEmpty() ? Optional.empty() : Optional.of(String.join(" -> ", path));
    }
}
