package dev.meshguard.tracker;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;
import org.jspecify.annotations.Nullable;

/**
 * One of several who share a tracker, to whom memory is counted: for example a test on a mesh that outlives it.
 *
 * <pre>{@code
 * AllocationContext decoding = tracker.context("decode");
 * try (Scope here = decoding.makeCurrent()) {
 *     model.decode(tokens);
 * }
 * decoding.close();
 * LeakVerdict leftByDecoding = LeakCheck.create().examine(tracker.history().partOf(decoding));
 * }</pre>
 *
 * <h2>What counts to whom</h2>
 *
 * <p>What a thread asks for counts to the tenant of that thread. A thread without one may be a helper of any tenant: what it asks for
 * counts to the tenant who is there if there is exactly one, else to nobody, unless it said that it {@linkplain AllocationTracker#outsideContexts() works
 * for all}. Of tenants {@linkplain #context within} one another the inner one is meant. Frees do not count: who took the memory is
 * asked where it went.
 *
 * <p>Safe for use by several threads.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class AllocationContext {

    private final String name;
    private final @Nullable AllocationContext around;
    private final AllocationContexts contexts;
    private final int marksBefore;
    private final AtomicLong live = new AtomicLong();
    private volatile boolean hasAllocated;
    private volatile boolean hasAnomaly;

    AllocationContext(String name, @Nullable AllocationContext around, AllocationContexts tenants, int marksBefore) {
        if (name.isBlank()) {
            throw new IllegalArgumentException("A tenant needs a name: the name given is blank");
        }
        this.name = name;
        this.around = around;
        this.contexts = tenants;
        this.marksBefore = marksBefore;
    }

    /** Returns the name, for readers; several tenants may have the same. */
    public String name() {
        return name;
    }

    /** Begins a tenant within this one, as a part of a test is within the test; what it takes does not count to this one. */
    public AllocationContext context(String newName) {
        return contexts.begin(newName, this);
    }

    /** Counts to this tenant what the calling thread asks for until the scope is closed, even after the tenant left. */
    public Scope makeCurrent() {
        return contexts.bind(Thread.currentThread(), this);
    }

    /** Is no more: what threads without tenant ask for from now on does not count to it. A second time does nothing. */
    public void close() {
        contexts.close(this);
    }

    /**
     * Returns whether it is worth to look for what this tenant left: something of its is live, or a report of its did not fit.
     *
     * <p>Costs nothing, while the part of the history that belongs to a tenant is searched for in all of it.
     */
    public boolean mayHaveSurvivors() {
        return hasAnomaly || live.get() > 0;
    }

    /** Returns whether it ever took anything. */
    public boolean hasAllocated() {
        return hasAllocated;
    }

    /** Returns how many events that belong to no address were recorded before; what is older has nothing to do with this tenant. */
    @API(status = Status.INTERNAL)
    public int marksBefore() {
        return marksBefore;
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

    void didWhatDoesNotFit() {
        hasAnomaly = true;
    }

    /** Returns the name. */
    @Override
    public String toString() {
        return name;
    }
}
