package dev.meshguard.tracker;

import dev.meshguard.event.RequestContext;
import java.util.concurrent.atomic.AtomicLong;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * A party that shares a tracker with others and to which allocations are attributed, for example a test on a mesh that
 * outlives it.
 *
 * <pre>{@code
 * AllocationContext decoding = tracker.context("decode");
 * try (Scope here = decoding.makeCurrent()) {
 *     model.decode(tokens);
 * }
 * LeakVerdict verdict = LeakCheck.create().examine(tracker.history().partOf(decoding));
 * }</pre>
 *
 * <h2>How allocations are attributed</h2>
 *
 * <p>The requests of a thread are attributed to its current context. For a thread without one, the
 * {@linkplain AllocationTracker.Builder#contextOfThread function} of the tracker is asked. Frees are not attributed: the context
 * that allocated a buffer is responsible for its free.
 *
 * <p>Safe for use by several threads.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class AllocationContext implements RequestContext {

    private final String name;
    private final ThreadScopes<AllocationContext> threads;
    private final long eventsBefore;
    private final AtomicLong live = new AtomicLong();
    private volatile boolean hasAllocated;
    private volatile boolean hasAnomaly;

    AllocationContext(String name, ThreadScopes<AllocationContext> threads, long eventsBefore) {
        if (name.isBlank()) {
            throw new IllegalArgumentException("A context needs a name: the name given is blank");
        }
        this.name = name;
        this.threads = threads;
        this.eventsBefore = eventsBefore;
    }

    @Override
    public String name() {
        return name;
    }

    /** Attributes the calling thread's requests to this context until the scope is closed. */
    public Scope makeCurrent() {
        return threads.open(this);
    }

    /**
     * Returns whether this context may have survivors: one of its buffers is live, or one of its reports did not fit.
     *
     * <p>This check is cheap. Finding the part of a history that belongs to a context means searching all of it.
     */
    public boolean mayHaveSurvivors() {
        return hasAnomaly || live.get() > 0;
    }

    /** Returns whether this context ever allocated anything. */
    public boolean hasAllocated() {
        return hasAllocated;
    }

    @Override
    @API(status = Status.INTERNAL)
    public long eventsBefore() {
        return eventsBefore;
    }

    void entered() {
        hasAllocated = true;
        live.incrementAndGet();
    }

    void removed() {
        live.decrementAndGet();
    }

    void markAnomaly() {
        hasAnomaly = true;
    }

    /** Returns the name. */
    @Override
    public String toString() {
        return name;
    }
}
