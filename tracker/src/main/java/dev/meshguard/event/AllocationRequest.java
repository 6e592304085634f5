package dev.meshguard.event;

import java.lang.ref.WeakReference;
import java.util.Optional;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;
import org.jspecify.annotations.Nullable;

/**
 * One call of the code under test that allocated or freed memory, on any number of devices.
 *
 * <p>Safe for use by several threads.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public class AllocationRequest {

    /** The request of a report that holds only device, type, address and size. */
    private static final AllocationRequest PLAIN = new AllocationRequest(AllocationDetails.user());

    private final AllocationDetails details;

    /** Creates a request; trackers extend this class by what they record of it. */
    @API(status = Status.INTERNAL)
    protected AllocationRequest(AllocationDetails details) {
        this.details = details;
    }

    /** Returns a request without origin or number, for listeners that do not record. */
    public static AllocationRequest of(AllocationDetails details) {
        boolean isPlain = details.kind() == BufferKind.BUFFER && details.equals(AllocationDetails.user());
        return isPlain ? PLAIN : new AllocationRequest(details);
    }

    /** Creates the request of a history that is read from a file; each call returns another request. */
    @API(status = Status.INTERNAL)
    public static AllocationRequest restored(AllocationDetails details, Optional<Origin> origin) {
        return new Restored(details, origin.orElse(null));
    }

    /** Returns the properties of the request that the source knows. */
    public final AllocationDetails details() {
        return details;
    }

    /**
     * Returns the context that the request is attributed to, where several share a tracker. A saved history does not
     * hold it.
     */
    public Optional<RequestContext> context() {
        return Optional.empty();
    }

    /** Returns whether this object represents any number of requests of which nothing is known. */
    public final boolean isAnonymous() {
        return this == PLAIN;
    }

    /**
     * Returns a reference to the object through which the code under test holds the memory; empty if the source never
     * reported it.
     *
     * <p>The reference itself is empty once that object was collected.
     */
    public Optional<WeakReference<Object>> handle() {
        return Optional.empty();
    }

    /**
     * Returns the place in the code under test that made the request, unless origins were not captured.
     *
     * <p>The stack is resolved on the first call.
     */
    public Optional<Origin> origin() {
        return Optional.empty();
    }

    /** Returns whether {@link #origin()} has a value, without resolving a stack. */
    public boolean hasOrigin() {
        return false;
    }

    /** A request of a history that was read from a file. */
    private static final class Restored extends AllocationRequest {
        private final @Nullable Origin origin;

        private Restored(AllocationDetails details, @Nullable Origin origin) {
            super(details);
            this.origin = origin;
        }

        @Override
        public Optional<Origin> origin() {
            return Optional.ofNullable(origin);
        }

        @Override
        public boolean hasOrigin() {
            return origin != null;
        }
    }
}
