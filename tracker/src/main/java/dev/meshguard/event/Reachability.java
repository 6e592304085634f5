package dev.meshguard.event;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Whether the handle of a request is still reachable, as a search found, and by which fields.
 *
 * <p>The search runs once, when a buffer survived, and its result is recorded. A history that is read again therefore
 * gives the same verdict although the handle no longer exists. The result explains why a buffer survived and never
 * decides whether one did.
 *
 * @param state the result
 * @param path the fields that hold the handle, from the root, in readable form: {@code KvCacheTest.cache},
 *     {@code ArrayList[0]}; empty if nothing holds it or the search found no path
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record Reachability(State state, List<String> path) {

    /** A step into a container of the JDK; all others name a field, a thread local or a lambda. */
    private static final Pattern IN_CONTAINER = Pattern.compile(
            ".*]|(an element|a key|a value|the value of null) of .*|Optional|AtomicReference|\\w*Future(Task)?|Map\\.Entry");

    /** The result of a search. */
    public enum State {
        /** The handle is still there after several garbage collections. */
        REACHABLE,
        /** The handle was collected. */
        LOST,
        /** Garbage collection could not be forced, so a handle that is still there may be garbage. */
        UNKNOWN
    }

    /**
     * Creates a result with its own copy of the path.
     *
     * @throws IllegalArgumentException if the handle was collected and the path is not empty
     */
    public Reachability {
        path = List.copyOf(path);
        if (state == State.LOST && !path.isEmpty()) {
            throw new IllegalArgumentException(
                    "A handle that was collected is held by nothing: the path given is " + path);
        }
    }

    /** Returns that the given fields hold the handle, from the root on. */
    public static Reachability heldBy(List<String> path) {
        return new Reachability(State.REACHABLE, path);
    }

    /** Returns that an unknown object holds the handle. */
    public static Reachability held() {
        return heldBy(List.of());
    }

    /** Returns that the handle was collected. */
    public static Reachability lost() {
        return new Reachability(State.LOST, List.of());
    }

    /** Returns that the search had no result. */
    public static Reachability unknown() {
        return new Reachability(State.UNKNOWN, List.of());
    }

    /** Returns the index of the field to change: the last step of the path that is no part of a container; empty if there is none. */
    public OptionalInt holder() {
        return IntStream.range(0, path.size())
                .filter(step -> !IN_CONTAINER.matcher(path.get(step)).matches())
                .reduce((earlier, later) -> later);
    }

    /** Returns the path as one text, {@code KvCacheTest.cache -> ArrayList[0]}, if there is one. */
    public Optional<String> pathText() {
        return path.isEmpty() ? Optional.empty() : Optional.of(String.join(" -> ", path));
    }
}
