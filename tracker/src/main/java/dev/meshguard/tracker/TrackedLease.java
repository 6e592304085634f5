package dev.meshguard.tracker;

import static dev.meshguard.event.HistoryEvent.NO_DEVICE;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.IgnoredFreeReason;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.PrintableText;

/** A lease in the ledger of a tracker: an entry under a number that no other lease has. */
final class TrackedLease implements Lease {

    private static final int MAX_REASON_CHARS = 500;

    private final AllocationTracker tracker;
    private final MemoryRequest request;
    private final OriginFilter callers;
    private final BufferType type;
    /** Takes the place of an address. */
    private final long number;

    /** Guarded by this lease, so that no change of its size follows its free. */
    private boolean isFreed;

    TrackedLease(AllocationTracker tracker, MemoryRequest request, OriginFilter callers, BufferType type, long number) {
        this.tracker = tracker;
        this.request = request;
        this.callers = callers;
        this.type = type;
        this.number = number;
    }

    @Override
    public Lease handedOut(Object handle) {
        tracker.handleReturned(request, handle);
        return this;
    }

    @Override
    public synchronized void freed() {
        isFreed = true;
        tracker.freed(release(AllocationDetails.user()), NO_DEVICE, type, number, Ownership.UNKNOWN);
    }

    @Override
    public void freeFailed(Throwable reason) {
        MemoryRequest release = release(AllocationDetails.user().labelled(textOf(reason)));
        tracker.freeIgnored(release, NO_DEVICE, type, number, IgnoredFreeReason.FAILED);
    }

    @Override
    public synchronized void resized(long bytes) {
        if (!isFreed) {
            tracker.allocated(request, NO_DEVICE, type, number, bytes, Ownership.UNKNOWN);
        }
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
