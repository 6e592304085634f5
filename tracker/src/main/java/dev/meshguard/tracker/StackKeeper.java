package dev.meshguard.tracker;

import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Origin;
import dev.meshguard.history.internal.Ledger;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Bounds the memory for stacks: a stack of a hundred frames occupies some two kilobytes. */
final class StackKeeper implements Ledger.EntryListener {

    /** The maximum number of stacks of freed requests, and of unresolved stacks of live ones. */
    static final int STACKS_KEPT = 16_384;

    /** The unresolved stacks of requests with live entries. */
    private final AtomicInteger liveStacks = new AtomicInteger();

    /** The stacks of requests whose entries were all removed. Guarded by the lock of the recorder. */
    private int stacksOfFreedRequests;

    /** The unresolved stacks of requests that free memory. */
    private final AtomicInteger stacksOfReleases = new AtomicInteger();

    private final Map<Origin, Origin> interned = new ConcurrentHashMap<>();

    /** Returns the stack that was just captured, or its origin, to be kept. */
    Object keep(CallStack stack) {
        return liveStacks.get() < STACKS_KEPT ? stack : interned(stack);
    }

    /** Returns what to keep of the stack of a free; the journal keeps it. */
    Object keepOfFree(CallStack stack) {
        boolean few = stacksOfReleases.get() < STACKS_KEPT && stacksOfReleases.incrementAndGet() <= STACKS_KEPT;
        return few ? stack : interned(stack);
    }

    private Origin interned(CallStack stack) {
        Origin origin = stack.origin();
        Origin known = interned.putIfAbsent(origin, origin);
        return known == null ? origin : known;
    }

    /** Counts an entry of a request that became live. The caller holds the lock of the recorder. */
    @Override
    public void entered(MemoryRequest request) {
        if (request instanceof TrackedRequest tracked && tracked.entered()) {
            liveStacks.incrementAndGet();
        }
    }

    /** Counts an entry of a request that was removed. The caller holds the lock of the recorder. */
    @Override
    public void removed(MemoryRequest request) {
        if (request instanceof TrackedRequest tracked && tracked.removed()) {
            liveStacks.decrementAndGet();
            if (stacksOfFreedRequests == STACKS_KEPT) {
                tracked.forgetOrigin();
            } else {
                stacksOfFreedRequests++;
            }
        }
    }
}
