package dev.meshguard.event;

import java.lang.ref.WeakReference;
import java.util.Optional;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * One call of the code under test that allocated or freed memory, on any number of devices.
 *
 * <p>A tracker creates requests; two requests are equal only if they are the same object. Safe for use by several
 * threads.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public interface MemoryRequest {

    /** Returns a request without origin or number, for listeners that do not record. */
    static MemoryRequest of(AllocationDetails details) {
        boolean isPlain = details.kind() == BufferKind.BUFFER && details.equals(AllocationDetails.user());
        return isPlain ? UntrackedRequest.PLAIN : new UntrackedRequest(details, Optional.empty(), false);
    }

    /**
     * Creates a request that makes one report only, such as a line of a log. Its place among the requests is that of its
     * report.
     */
    @API(status = Status.INTERNAL)
    static MemoryRequest ofOneReport(AllocationDetails details) {
        return new UntrackedRequest(details, Optional.empty(), true);
    }

    /** Creates the request of a history that is read from a file; each call returns another request. */
    @API(status = Status.INTERNAL)
    static MemoryRequest restored(AllocationDetails details, Optional<Origin> origin) {
        return new UntrackedRequest(details, origin, false);
    }

    /** Returns the properties of the request that the source knows. */
    AllocationDetails details();

    /**
     * Returns the context that the request is attributed to, where several share a tracker. A saved history holds it
     * only if the history is the part of that context.
     */
    default Optional<RequestContext> context() {
        return Optional.empty();
    }

    /** Returns whether this object represents any number of requests of which nothing is known. */
    default boolean isAnonymous() {
        return false;
    }

    /** Returns whether it is known that the request makes one report only. */
    @API(status = Status.INTERNAL)
    default boolean hasOneReport() {
        return false;
    }

    /**
     * Returns a reference to the object through which the code under test holds the memory; empty if the source never
     * reported it.
     *
     * <p>The reference itself is empty once that object was collected.
     */
    default Optional<WeakReference<Object>> handle() {
        return Optional.empty();
    }

    /**
     * Returns the place in the code under test that made the request, unless origins were not captured.
     *
     * <p>The stack is resolved on the first call.
     */
    Optional<Origin> origin();

    /** Returns whether {@link #origin()} has a value, without resolving a stack. */
    default boolean hasOrigin() {
        return origin().isPresent();
    }
}
