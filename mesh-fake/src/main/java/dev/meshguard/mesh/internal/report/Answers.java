package dev.meshguard.mesh.internal.report;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Phase;
import dev.meshguard.tracker.AllocationListener;
import dev.meshguard.tracker.Scope;
import org.jspecify.annotations.Nullable;

/**
 * Replaces the answers of a listener that returns {@code null}, as a mock does, by defaults.
 *
 * <p>A mock returns {@code null} unless a test stubs it. A runtime needs a request to group reports, and a scope to end a
 * phase. A test that only verifies calls needs neither.
 */
public final class Answers {

    private Answers() {}

    /** Begins a request for memory. */
    static MemoryRequest request(AllocationListener listener, AllocationDetails details) {
        return orOwn(listener.request(details), details);
    }

    /** Begins a request to give memory back. */
    public static MemoryRequest release(AllocationListener listener, AllocationDetails details) {
        return orOwn(listener.release(details), details);
    }

    /** Begins a request to give back the memory at an address. */
    public static MemoryRequest releaseByAddress(AllocationListener listener, AllocationDetails details) {
        return orOwn(listener.releaseByAddress(details), details);
    }

    /** Begins a phase. */
    public static Scope phase(AllocationListener listener, Phase phase) {
        @Nullable Scope scope = listener.phase(phase);
        return scope == null ? () -> {} : scope;
    }

    private static MemoryRequest orOwn(@Nullable MemoryRequest answer, AllocationDetails details) {
        return answer == null ? MemoryRequest.of(details) : answer;
    }
}
