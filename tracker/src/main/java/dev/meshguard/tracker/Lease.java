package dev.meshguard.tracker;

import static dev.meshguard.event.HistoryEvent.NO_DEVICE;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.IgnoredFreeReason;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.References;
import dev.meshguard.text.PrintableText;
import java.lang.ref.WeakReference;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Memory that was allocated once and is freed once, whatever its address.
 *
 * <p>An address does not identify memory that a library or the operating system manages: it may be allocated to another thread
 * before the free of the first is reported. A lease identifies it, so that each free is reported after it has succeeded, and a
 * free that fails leaves the memory allocated.
 *
 * <pre>{@code
 * Lease lease = tracker.lease(AllocationDetails.user(), callers, BufferType.SYSTEM_MEMORY, bytes).handedOut(segment);
 * …
 * try {
 *     arena.close();
 *     lease.freed();
 * } catch (WrongThreadException notFreed) {
 *     lease.freeFailed(notFreed);
 *     throw notFreed;
 * }
 * }</pre>
 *
 * <p>Its methods never throw because of what the code under test did. Safe for use by several threads.
 *
 * @since 0.1
 * @see AllocationTracker#lease
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class Lease {

    private static final int MAX_REASON_CHARS = 500;

    private final AllocationTracker tracker;
    private final MemoryRequest request;
    private final OriginFilter callers;
    private final BufferType type;
    /** Takes the place of an address; no other lease has it. */
    private final long number;

    /** Guarded by this lease, so that no change of its size follows its free. */
    private boolean isFreed;

    Lease(AllocationTracker tracker, MemoryRequest request, OriginFilter callers, BufferType type, long number) {
        this.tracker = tracker;
        this.request = request;
        this.callers = callers;
        this.type = type;
        this.number = number;
    }

    /**
     * Reports the object without which the code under test cannot free the memory; it is held weakly, and none of its methods is
     * called. Without a handle, a check cannot distinguish held from lost memory.
     *
     * @return this lease
     */
    public Lease handedOut(Object handle) {
        tracker.handleReturned(request, handle);
        return this;
    }

    /** Reports the object as {@link #handedOut} does, by a reference that the source has already. */
    @API(status = Status.INTERNAL, since = "0.1")
    public Lease handedOutAs(WeakReference<Object> handle) {
        tracker.handleReturned(request, handle);
        return this;
    }

    /** Reports that the memory was freed. A second report is an error in the verdict, as a double free. */
    public void freed() {
        freed(AllocationDetails.user());
    }

    /** Reports that the memory was freed because its handle was garbage collected, and by no call. */
    public void collected() {
        freed(AllocationDetails.user().ofCollectedHandle());
    }

    /**
     * Takes the memory back, because the code under test never got it, for example when a constructor throws: histories have no event about it
     * any more.
     */
    public synchronized void withdrawn() {
        isFreed = true;
        tracker.withdrawn(request, type, number);
    }

    private synchronized void freed(AllocationDetails details) {
        isFreed = true;
        tracker.freed(release(details), NO_DEVICE, type, number, Ownership.UNKNOWN);
    }

    /** Reports that a call which should free the memory failed, so that it is still allocated. */
    public void freeFailed(Throwable reason) {
        MemoryRequest release = release(AllocationDetails.user().labelled(textOf(reason)));
        tracker.freeIgnored(release, NO_DEVICE, type, number, IgnoredFreeReason.FAILED);
    }

    /**
     * Reports that the memory has another size now. Does nothing after the memory was freed.
     *
     * @param bytes the whole size, from 0; 0 if it is unknown
     */
    public synchronized void resized(long bytes) {
        if (!isFreed) {
            tracker.allocated(request, NO_DEVICE, type, number, bytes, Ownership.UNKNOWN);
        }
    }

    /** Reports the references to memory that is still allocated; a later report takes the place of an earlier one. */
    public void referencesCounted(References references) {
        tracker.reported(number -> new HistoryEvent.ReferencesCounted(number, request, references));
    }

    /** Returns whether the tracker keeps the stacks of allocations; then other stacks explain the memory, too. */
    public boolean hasOrigin() {
        return request.hasOrigin();
    }

    /** An error of the code under test may have any text, or none. */
    private static String textOf(Throwable reason) {
        try {
            String text = PrintableText.line(reason.toString());
            return text.length() <= MAX_REASON_CHARS ? text : text.substring(0, MAX_REASON_CHARS) + "…";
        } catch (RuntimeException unreadable) {
            return reason.getClass().getName();
        }
    }

    private MemoryRequest release(AllocationDetails details) {
        return tracker.release(details, callers);
    }
}
