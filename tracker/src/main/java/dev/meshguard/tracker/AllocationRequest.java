package dev.meshguard.tracker;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferKind;
import dev.meshguard.event.Origin;
import java.lang.ref.WeakReference;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
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
public final class AllocationRequest {

    private static final AtomicIntegerFieldUpdater<AllocationRequest> LIVE =
            AtomicIntegerFieldUpdater.newUpdater(AllocationRequest.class, "live");

    /** The request of a report that holds only device, type, address and size. */
    private static final AllocationRequest PLAIN = new AllocationRequest(AllocationDetails.user(), 0, null, null);

    private final AllocationDetails details;
    private final long ticket;
    private final boolean hasStack;

    @SuppressWarnings("UnusedVariable") // Counted through LIVE.
    private volatile int live;

    /** An unresolved stack (a throwable), a resolved {@link Origin}, or null. */
    private volatile @Nullable Object origin;

    /** The object through which the code under test holds the memory; this class must not keep it alive. */
    private volatile @Nullable WeakReference<Object> handle;

    /** The context that the request is attributed to, where several share a tracker. */
    private final @Nullable AllocationContext context;

    private AllocationRequest(
            AllocationDetails details, long ticket, @Nullable Object origin, @Nullable AllocationContext context) {
        this.details = details;
        this.ticket = ticket;
        this.origin = origin;
        this.context = context;
        this.hasStack = origin instanceof Throwable;
    }

    /** Returns a request without origin or number, for listeners that do not record. */
    public static AllocationRequest of(AllocationDetails details) {
        boolean isPlain = details.kind() == BufferKind.BUFFER && details.equals(AllocationDetails.user());
        return isPlain ? PLAIN : new AllocationRequest(details, 0, null, null);
    }

    /** Creates the request of a history that is read from a file; each call returns another request. */
    @API(status = Status.INTERNAL)
    public static AllocationRequest restored(AllocationDetails details, Optional<Origin> origin) {
        return new AllocationRequest(details, 0, origin.orElse(null), null);
    }

    static AllocationRequest numbered(
            AllocationDetails details, long ticket, @Nullable Object origin, @Nullable AllocationContext context) {
        return new AllocationRequest(details, ticket, origin, context);
    }

    /** Returns the properties of the request that the source knows. */
    public AllocationDetails details() {
        return details;
    }

    /**
     * Returns the context that the request is attributed to, where several share a tracker. A saved history does not
     * hold it.
     */
    public Optional<AllocationContext> context() {
        return Optional.ofNullable(context);
    }

    /** Returns whether this object represents any number of requests of which nothing is known. */
    public boolean isAnonymous() {
        return this == PLAIN;
    }

    /**
     * Returns a reference to the object through which the code under test holds the memory; empty if the source never
     * reported it.
     *
     * <p>The reference itself is empty once that object was collected.
     */
    public Optional<WeakReference<Object>> handle() {
        return Optional.ofNullable(handle);
    }

    void handedOut(Object newHandle) {
        if (!isAnonymous()) {
            handle = new WeakReference<>(newHandle);
        }
    }

    /** Returns the position in the order of requests, or 0 for a request without a number. */
    long ticket() {
        return ticket;
    }

    /**
     * Returns the place in the code under test that made the request, unless origins were not captured.
     *
     * <p>The stack is resolved on the first call.
     */
    public Optional<Origin> origin() {
        Object captured = origin;
        if (captured instanceof Throwable stack) {
            Origin resolved = Origin.of(stack.getStackTrace());
            origin = resolved;
            return Optional.of(resolved);
        }
        return Optional.ofNullable((Origin) captured);
    }

    /** Returns whether {@link #origin()} has a value, without resolving a stack. */
    public boolean hasOrigin() {
        return origin != null;
    }

    /** Counts one more live entry; returns whether it is the first. */
    boolean entered() {
        return LIVE.incrementAndGet(this) == 1;
    }

    /** Counts one live entry fewer; returns whether it was the last. */
    boolean removed() {
        return LIVE.decrementAndGet(this) == 0;
    }

    /** Returns whether a stack was captured and kept unresolved; resolving it later gives the same origin. */
    boolean hasStack() {
        return hasStack;
    }

    /** Adds the stack, or its origin, to a request that turned out to need one. */
    void addStack(Object stack) {
        if (origin == null && !isAnonymous()) {
            origin = stack;
        }
    }

    void forgetOrigin() {
        origin = null;
    }
}
