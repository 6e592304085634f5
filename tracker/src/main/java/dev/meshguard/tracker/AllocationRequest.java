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
 * One call of the code under test that took memory or gave it back, on however many devices.
 *
 * <p>Safe for use by several threads.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class AllocationRequest {

    private static final AtomicIntegerFieldUpdater<AllocationRequest> LIVE =
            AtomicIntegerFieldUpdater.newUpdater(AllocationRequest.class, "live");

    /** The request of a report that says nothing besides device, type, address and size. */
    private static final AllocationRequest PLAIN = new AllocationRequest(AllocationDetails.user(), 0, null, null);

    private final AllocationDetails details;
    private final long ticket;
    private final boolean hasStack;

    @SuppressWarnings("UnusedVariable") // Counted through LIVE.
    private volatile int live;

    /** A stack not yet resolved (a throwable), a resolved {@link Origin}, or nothing. */
    private volatile @Nullable Object origin;

    /** What the code under test holds it by; nothing here may keep that alive. */
    private volatile @Nullable WeakReference<Object> handle;

    /** To whom it counts, where several share a tracker. */
    private final @Nullable AllocationContext context;

    private AllocationRequest(
            AllocationDetails details, long ticket, @Nullable Object origin, @Nullable AllocationContext tenant) {
        this.details = details;
        this.ticket = ticket;
        this.origin = origin;
        this.context = tenant;
        this.hasStack = origin instanceof Throwable;
    }

    /** Returns a request without origin or number; what a listener hands out that does not record. */
    public static AllocationRequest of(AllocationDetails details) {
        boolean isPlain = details.kind() == BufferKind.BUFFER && details.equals(AllocationDetails.user());
        return isPlain ? PLAIN : new AllocationRequest(details, 0, null, null);
    }

    /** Made by whoever reads a history that was written down; each call returns another request. */
    @API(status = Status.INTERNAL)
    public static AllocationRequest restored(AllocationDetails details, Optional<Origin> origin) {
        return new AllocationRequest(details, 0, origin.orElse(null), null);
    }

    static AllocationRequest numbered(
            AllocationDetails details, long ticket, @Nullable Object origin, @Nullable AllocationContext tenant) {
        return new AllocationRequest(details, ticket, origin, tenant);
    }

    /** Returns what the source knows about the request. */
    public AllocationDetails details() {
        return details;
    }

    /** Returns to whom it counts, where several share a tracker; it is not written down with a history. */
    public Optional<AllocationContext> context() {
        return Optional.ofNullable(context);
    }

    /** Returns whether this stands for any number of requests of which nothing is known. */
    public boolean isAnonymous() {
        return this == PLAIN;
    }

    /**
     * Returns a reference to the object by which the code under test holds what the request took; empty if the source never said.
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

    /** Returns the place in the order of requests, or 0 for a request that nobody numbered. */
    long ticket() {
        return ticket;
    }

    /**
     * Returns where in the code under test the request was made, unless origins were not captured.
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

    /** Returns whether {@link #origin()} has an answer, without resolving a stack. */
    public boolean hasOrigin() {
        return origin != null;
    }

    /** Counts one more live entry; returns whether it is the first. */
    boolean entered() {
        return LIVE.incrementAndGet(this) == 1;
    }

    /** Counts one live entry less; returns whether it was the last. */
    boolean removed() {
        return LIVE.decrementAndGet(this) == 0;
    }

    /** Returns whether a stack was taken and kept as it is; resolving it later does not change the answer. */
    boolean hasStack() {
        return hasStack;
    }

    /** Adds the stack, or what it says, of a request that turned out to be worth one. */
    void addStack(Object stack) {
        if (origin == null && !isAnonymous()) {
            origin = stack;
        }
    }

    void forgetOrigin() {
        origin = null;
    }
}
