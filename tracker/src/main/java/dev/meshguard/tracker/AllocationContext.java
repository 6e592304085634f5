package dev.meshguard.tracker;

import dev.meshguard.event.RequestContext;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;
import org.jspecify.annotations.Nullable;

/**
 * A party that shares a tracker with others and to which allocations are attributed, for example a test on a mesh that
 * outlives it.
 *
 * <pre>{@code
 * AllocationContext decoding = tracker.context("decode");
 * try (Scope here = decoding.makeCurrent()) {
 *     model.decode(tokens);
 * }
 * decoding.close();
 * LeakVerdict verdict = LeakCheck.create().examine(tracker.history().partOf(decoding));
 * }</pre>
 *
 * <h2>How allocations are attributed</h2>
 *
 * <p>The requests of a thread are attributed to the thread's context. A thread without a context may work for any of
 * them. Its requests are attributed to the open context if there is exactly one, else to none, unless the thread
 * {@linkplain AllocationTracker#outsideContexts() works outside all contexts}. Of {@linkplain #context nested} contexts
 * the inner one counts. Frees are not attributed: the context that allocated a buffer is responsible for its free.
 *
 * <p>Safe for use by several threads.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class AllocationContext implements RequestContext {

    private final String name;
    private final @Nullable AllocationContext around;
    private final AllocationContexts contexts;
    private final long eventsBefore;
    private final AtomicLong live = new AtomicLong();
    private volatile boolean hasAllocated;
    private volatile boolean hasAnomaly;

    AllocationContext(String name, @Nullable AllocationContext around, AllocationContexts contexts, long eventsBefore) {
        if (name.isBlank()) {
            throw new IllegalArgumentException("A context needs a name: the name given is blank");
        }
        this.name = name;
        this.around = around;
        this.contexts = contexts;
        this.eventsBefore = eventsBefore;
    }

    @Override
    public String name() {
        return name;
    }

    /**
     * Opens a context within this one, as a part of a test is within the test. Its allocations are not attributed to
     * this one.
     */
    public AllocationContext context(String newName) {
        return contexts.begin(newName, this);
    }

    /**
     * Attributes the calling thread's requests to this context until the scope is closed, even after this context is
     * closed.
     */
    public Scope makeCurrent() {
        return contexts.bind(Optional.of(this));
    }

    /**
     * Closes this context: later requests of threads without a context are not attributed to it. Closing it again does
     * nothing.
     */
    public void close() {
        contexts.close(this);
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

    Optional<AllocationContext> around() {
        return Optional.ofNullable(around);
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
