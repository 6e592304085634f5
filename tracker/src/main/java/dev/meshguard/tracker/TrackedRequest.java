package dev.meshguard.tracker;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Origin;
import dev.meshguard.event.RequestContext;
import java.lang.ref.WeakReference;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A request as a tracker keeps it: with its ticket, origin, context and handle. */
final class TrackedRequest implements MemoryRequest {

    private final AllocationDetails details;
    private final long ticket;
    private final boolean hasStack;

    /** The live entries. Guarded by the lock of the recorder. */
    private int live;

    /** Whether it ever allocated. Guarded by the lock of the recorder. */
    private boolean hasAllocated;

    /** An unresolved {@link CallStack}, a resolved {@link Origin}, the filter of a stack to be added, or null. */
    private volatile @Nullable Object origin;

    /** The object through which the code under test holds the memory; this class must not keep it alive. */
    private volatile @Nullable WeakReference<Object> handle;

    /** The context that the request is attributed to, where several share a tracker. */
    private volatile @Nullable AllocationContext context;

    TrackedRequest(
            AllocationDetails details, long ticket, @Nullable Object origin, @Nullable AllocationContext context) {
        this.details = details;
        this.ticket = ticket;
        this.origin = origin;
        this.context = context;
        this.hasStack = origin instanceof CallStack;
    }

    @Override
    public AllocationDetails details() {
        return details;
    }

    @Override
    public Optional<RequestContext> context() {
        return Optional.ofNullable(context);
    }

    @Override
    public Optional<WeakReference<Object>> handle() {
        return Optional.ofNullable(handle);
    }

    void handleReturned(WeakReference<Object> newHandle) {
        handle = newHandle;
    }

    /** Returns the ticket, which orders requests by the moment at which they began. */
    long ticket() {
        return ticket;
    }

    @Override
    public Optional<Origin> origin() {
        Object captured = origin;
        if (captured instanceof CallStack stack) {
            captured = stack.origin();
            origin = captured;
        }
        return captured instanceof Origin resolved ? Optional.of(resolved) : Optional.empty();
    }

    @Override
    public boolean hasOrigin() {
        return origin instanceof CallStack || origin instanceof Origin;
    }

    /** Returns the whole stack, innermost frame first; empty if there is none, or only what its first reader left of it. */
    StackTraceElement[] stack() {
        return origin instanceof CallStack stack ? stack.getStackTrace() : new StackTraceElement[0];
    }

    /** Adds the stack, or its origin, to a request that turned out to need one. */
    void addStack(Function<OriginFilter, Object> stack) {
        if (!hasOrigin()) {
            origin = stack.apply(origin instanceof OriginFilter callers ? callers : OriginFilter.none());
        }
    }

    /**
     * Attributes a free that turned out to need a context. The request of an allocation, with which an adapter may report the free,
     * keeps its own. The caller holds the lock of the recorder.
     */
    void attributeFree(@Nullable AllocationContext newContext) {
        if (!hasAllocated) {
            context = newContext;
        }
    }

    /** Attributes memory to another context. The caller holds the lock of the recorder. */
    void move(@Nullable AllocationContext newContext) {
        AllocationContext before = context;
        for (int entry = 0; entry < live; entry++) {
            if (before != null) {
                before.removed();
            }
            if (newContext != null) {
                newContext.entered();
            }
        }
        context = newContext;
    }

    /** Records in the context that one of its reports did not fit. */
    void markAnomaly() {
        AllocationContext own = context;
        if (own != null) {
            own.markAnomaly();
        }
    }

    /** Counts one more live entry; returns whether it is the first with an unresolved stack. */
    boolean entered() {
        AllocationContext own = context;
        if (own != null) {
            own.entered();
        }
        live++;
        hasAllocated = true;
        return hasStack && live == 1;
    }

    /** Counts one live entry fewer; returns whether it was the last with an unresolved stack. */
    boolean removed() {
        AllocationContext own = context;
        if (own != null) {
            own.removed();
        }
        live--;
        return hasStack && live == 0;
    }

    void forgetOrigin() {
        origin = null;
    }
}
